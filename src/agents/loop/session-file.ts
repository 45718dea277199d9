/**
 * A conversation on disk, one record a line, appended before anything follows from it: a later process continues where
 * this one was. A torn last line is the unfinished write of a killed process; it is skipped.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { makeDirectoryPath } from '../../os/own-directory.ts';

export interface SessionFile {
  append(record: object): void;
}

/** @returns the records of a session; undefined when there is none */
export function readSession(path: string): unknown[] | undefined {
  if (!existsSync(path)) return undefined;
  return (
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      // What a torn line said was never acted upon.
      .flatMap((line) => jsonOf(line) ?? [])
  );
}

export function sessionFile(path: string): SessionFile {
  makeDirectoryPath(dirname(path), 0o700);
  return {
    // The newline in front keeps a torn fragment from swallowing this record.
    append: (record) => appendFileSync(path, `\n${JSON.stringify(record)}\n`, { mode: 0o600 }),
  };
}
