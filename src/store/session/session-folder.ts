/** A pipeline's session folder, which is the team's folder: role files, and what each task had to produce. */
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { ArtifactCheck } from '../../model/pipeline/role-spec.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';

/** Larger artifacts are not read, in bytes. */
const LARGEST = 4 * 1024 * 1024;

/** Writes a whole file; creates its directory. */
export function keepFile(disk: Disk, path: string, text: string): void {
  makeDirectory(disk, dirname(path));
  replaceFile(disk, path, text, randomBytes(6).toString('hex'));
}

/** The same in a directory that exists. */
export const keepArtifact = (disk: Disk, path: string, text: string): void =>
  replaceFile(disk, path, text, randomBytes(6).toString('hex'));

export const readKept = (disk: Disk, folder: string, file: string): string | undefined =>
  readText(disk, join(folder, file), LARGEST);

/**
 * Whether the artifact of a task exists already (docs/specification.md R10.5): a file that is not empty, newer than
 * `since`, and passes its role's check.
 *
 * @param since wall time in milliseconds
 */
export function isArtifactComplete(disk: Disk, path: string, check: ArtifactCheck, since: number): boolean {
  const stat = lookAt(disk, path);
  if (stat?.isFile() !== true || stat.size === 0 || stat.size > LARGEST || stat.mtimeMs < since) return false;
  const text = readText(disk, path, LARGEST) ?? '';
  return check.contains.every((part) => text.includes(part)) && (!check.json || isJson(text));
}

/** Whether this file was written since a moment, in wall milliseconds. */
export const isWrittenSince = (disk: Disk, path: string, since: number): boolean => {
  const stat = lookAt(disk, path);
  return stat?.isFile() === true && stat.size > 0 && stat.mtimeMs >= since;
};

/** The answer in the form of the requested document: JSON stays JSON, and other text is wrapped in JSON. */
export const artifactText = (path: string, answer: string): string => {
  if (!path.endsWith('.json') || isJson(answer)) return answer.endsWith('\n') ? answer : `${answer}\n`;
  const fenced = /```(?:json)?\n([\s\S]*?)\n```/.exec(answer)?.[1];
  if (fenced !== undefined && isJson(fenced)) return `${fenced}\n`;
  return `${JSON.stringify({ text: answer }, null, 2)}\n`;
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Not JSON: the answer is false.
    return false;
  }
}
