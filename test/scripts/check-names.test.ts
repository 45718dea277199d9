import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/check-names.mjs', import.meta.url));

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teams-names-'));
});

afterEach(() => rm(directory, { recursive: true }));

const check = (): Promise<{ code: number | null; stderr: string }> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [SCRIPT, directory], (_error, _stdout, stderr) => {
      resolve({ code: child.exitCode, stderr });
    });
  });

async function sources(texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
}

describe('check-names', () => {
  it('check-names fails for an exported type name that two files declare, and lists both places', async () => {
    await sources({
      'a.ts': 'export interface Line {\n  readonly text: string;\n}\n',
      'b/c.tsx': '\nexport type Line = string;\n',
    });
    const { code, stderr } = await check();
    expect(code).toBe(1);
    expect(stderr).toMatch(/The exported type Line is declared 2 times: .*a\.ts:1, .*c\.tsx:2\.\n$/);
  });

  it('check-names finds a class and a type that are exported in a list', async () => {
    await sources({ 'a.ts': 'export class Line {}\n', 'b.ts': 'type Line = string;\nexport type { Line };\n' });
    expect((await check()).code).toBe(1);
  });

  it('check-names accepts re-exports, private types, and a constant that shares its name with one type', async () => {
    await sources({
      'a.ts': 'export const Line = 1;\nexport type Line = string;\n',
      'b.ts': "export { type Line } from './a.ts';\n",
      'c.ts': 'interface Line {\n  readonly text: string;\n}\nexport const line: Line = { text: "" };\n',
    });
    expect(await check()).toEqual({ code: 0, stderr: '' });
  });
});
