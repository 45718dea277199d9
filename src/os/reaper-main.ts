/**
 * The reaper's entry point: one bundle, no arguments. It lives until its stdin ends, whatever signal a terminal sends.
 */
import process from 'node:process';
import { Readable } from 'node:stream';
import { reaperMain } from './reaper.ts';

export function main(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // Ignored: only the end of its lead ends it.
    });
  // A full log disk must not end the reaper.
  process.stderr.on('error', () => {});
  void reaperMain(process.stdin).then(() => process.exit(0));
}

/** A start without a team, so that the code cache contains what a start compiles. */
export async function warmUp(): Promise<void> {
  await reaperMain(Readable.from(['{"done":true}\n']));
}
