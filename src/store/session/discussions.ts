/**
 * The records of a session's discussions (docs/specification.md R10.10): `discussions/<round>-discussion.md`, each with
 * its verdict as JSON inside.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { consensusSchema, type Consensus } from '../../model/pipeline/discussion.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { lookAt } from '../files/disk.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';
import type { TeamStore } from '../team/team-store.ts';

/** A larger artifact cannot be discussed: no prompt could hold it. In bytes. */
const LARGEST = 4 * 1024 * 1024;

export class Discussions {
  readonly #store: Pick<TeamStore, 'disk' | 'paths'>;

  constructor(store: Pick<TeamStore, 'disk' | 'paths'>) {
    this.#store = store;
  }

  /** The text of an artifact; undefined when it is missing or empty. */
  artifact(file: string): string | undefined {
    return readText(this.#store.disk, file, LARGEST) || undefined;
  }

  /** What the analyst found; undefined before that. */
  context(): string | undefined {
    return readText(this.#store.disk, join(this.#store.paths.session.spec, 'discovery-context.json'), LARGEST);
  }

  record(name: string): string {
    return join(this.#store.paths.session.discussions, `${name}-discussion.md`);
  }

  /** The verdict of an earlier process, if it is not older than the artifact. */
  verdict(name: string, file: string): Consensus | undefined {
    const { disk } = this.#store;
    const record = this.record(name);
    const [made, written] = [lookAt(disk, record), lookAt(disk, file)];
    if (made === undefined || written === undefined || made.mtimeMs < written.mtimeMs) return undefined;
    const read = jsonAnswer(consensusSchema, readText(disk, record, LARGEST) ?? '');
    return read.ok ? read.value : undefined;
  }

  keep(name: string, text: string): void {
    const { disk, paths } = this.#store;
    makeDirectory(disk, paths.session.discussions);
    replaceFile(disk, this.record(name), text, randomBytes(6).toString('hex'));
  }
}
