/** Maildir: one file per message, written in tmp/ and renamed into new/. No lock at all. */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodiesIn, lineOf } from './lines.mjs';

export function prepare(dir) {
  for (const folder of ['tmp', 'new', 'cur']) mkdirSync(join(dir, folder));
}

export function writer({ dir, who }) {
  let number = 0;
  return {
    write(bodies) {
      for (const body of bodies) {
        const file = `${who}.${(number += 1)}`;
        writeFileSync(join(dir, 'tmp', file), lineOf(who, body));
        renameSync(join(dir, 'tmp', file), join(dir, 'new', file));
      }
    },
  };
}

export const collect = (dir) => readdirSync(join(dir, 'new')).flatMap((file) => bodiesIn(join(dir, 'new', file)));
