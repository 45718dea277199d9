/** A program that exchanges a folder for a link and back, as fast as it can, while a test repeats what teams do there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export const FILES = 30;
const LASTS_MS = 5_000;
/** So long, in milliseconds, until one did not fail. */
const MOST_MS = 20_000;

/** Makes a folder of files with a text. */
export function fill(folder: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  for (let file = 0; file < FILES; file += 1) writeFileSync(join(folder, `f${file}`), `${text} ${file}\n`);
}

/** Exchanges a folder for a link, makes it anew where it is gone, and so on until the test ends. */
export async function exchanging(folder: string, outside: string): Promise<void> {
  const loop = `const fs = require('node:fs');
    const [folder, outside] = process.argv.slice(1);
    const tries = (...calls) => { for (const call of calls) try { call(); } catch {} };
    const fill = () => { for (let at = 0; at < ${FILES}; at += 1) fs.writeFileSync(folder + '/f' + at, 'mine'); };
    console.log('begun');
    for (;;) tries(
      () => { if (!fs.existsSync(folder)) { fs.mkdirSync(folder, { recursive: true }); fill(); } },
      () => fs.symlinkSync(outside, folder + '.link'),
      () => fs.renameSync(folder, folder + '.away'),
      () => fs.renameSync(folder + '.link', folder),
      () => fs.renameSync(folder, folder + '.link'),
      () => fs.renameSync(folder + '.away', folder),
    );`;
  const swapper = spawn(process.execPath, ['-e', loop, folder, outside], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(swapper, 'exit');
  onTestFinished(async () => {
    swapper.kill('SIGKILL');
    await ended;
  });
  await once(swapper.stdout, 'data');
}

/**
 * Repeats what teams do, which may fail: a program that does so has no claim to it.
 *
 * @returns what each that did not fail gave
 */
export async function repeating<T>(work: () => T | Promise<T>): Promise<T[]> {
  const done: T[] = [];
  const begun = performance.now();
  // On a busy machine the folder may be away at each moment of the first tries.
  while (performance.now() - begun < (done.length === 0 ? MOST_MS : LASTS_MS)) {
    try {
      done.push(await work());
    } catch {
      // The folder was away at that moment.
    }
  }
  return done;
}
