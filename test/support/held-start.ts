/**
 * `heldStart`: programs of Node whose start takes as long as a test wants.
 *
 *     const held = heldStart(tempDir());
 *     spawn(process.execPath, ['x.js'], { env: { ...process.env, ...held.environment } });
 *     await held.begun();
 *     held.goOn();
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';

/** @param folder of the test */
export function heldStart(folder: string) {
  const [script, begun, go] = [join(folder, 'hold.cjs'), join(folder, 'begun'), join(folder, 'go')];
  writeFileSync(
    script,
    `const { existsSync, writeFileSync } = require('node:fs');
writeFileSync(${JSON.stringify(begun)}, '');
const wait = new Int32Array(new SharedArrayBuffer(4));
while (!existsSync(${JSON.stringify(go)})) Atomics.wait(wait, 0, 0, 5);
`,
  );
  return {
    environment: { NODE_OPTIONS: `--require ${script}` },
    /** Resolves when one has begun. */
    begun: () => vi.waitUntil(() => existsSync(begun), { timeout: 20_000, interval: 5 }),
    goOn: () => writeFileSync(go, ''),
  };
}
