/**
 * What was explored in a session, by angle (docs/specification.md R10.11): `explore-<angle>.json`, found through
 * `cache-index.json`. If several processes want one angle at the same time, one of them explores; when it dies, another
 * may.
 */
import { escapedJson } from '../../model/text/safe-text.ts';
import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import {
  angleKey,
  cacheIndexSchema,
  explorationSchema,
  type CacheIndex,
  type Exploration,
} from '../../model/pipeline/exploration.ts';
import { parseName } from '../../model/text/names.ts';
import { slug } from '../../model/text/slug.ts';
import { Document } from '../lock/document.ts';
import { isElsewhere } from '../files/folder-of.ts';
import { makeDirectory, readText, replaceFile } from '../files/file.ts';
import { livenessOf, ownIdentity } from '../../os/process-table.ts';
import type { TeamStore } from '../team/team-store.ts';

const ANGLE = parseName('role', 'angle');

export type Angle =
  | { readonly kind: 'known'; readonly exploration: Exploration; readonly path: string }
  /** Another process explores it now. */
  | { readonly kind: 'awaited' }
  /** This process must explore; it ends with `keep` or `leave`. */
  | { readonly kind: 'ours'; readonly path: string };

type Explorer = NonNullable<CacheIndex['entries'][string]['exploring']>;

export class Explorations {
  readonly #store: TeamStore;
  readonly #index: Document<CacheIndex>;

  constructor(store: TeamStore) {
    const { disk, locks, pinned, paths } = store;
    this.#store = store;
    this.#index = new Document({
      disk,
      locks,
      pinned,
      schema: () => cacheIndexSchema,
      path: join(paths.session.explorations, 'cache-index.json'),
      lock: paths.explorationsLock,
    });
  }

  /**
   * What is known from an angle, or which process explores it.
   * @throws StoreError `CORRUPT` for a damaged index
   */
  async look(angle: string): Promise<Angle> {
    makeDirectory(this.#store.disk, this.#store.paths.session.explorations);
    const key = angleKey(angle);
    return this.#index.update<Angle>((current = { version: 1, entries: {} }) => {
      const entry = current.entries[key];
      const path = this.#path(entry?.file ?? freeFile(current, angle));
      const exploration = entry && this.#read(path);
      if (exploration) return { result: { kind: 'known', exploration, path } };
      if (entry?.exploring && this.#isAtWork(entry.exploring)) return { result: { kind: 'awaited' } };
      const next = { file: basename(path), exploring: { ...ownIdentity(), folder: this.#store.pinned.identity } };
      return {
        next: { ...current, entries: { ...current.entries, [key]: next } },
        result: { kind: 'ours', path },
      };
    });
  }

  /** Stores what was found. The file is written first, so that the index never names a missing file. */
  async keep(path: string, exploration: Exploration): Promise<void> {
    const { disk } = this.#store;
    replaceFile(disk, path, `${escapedJson(JSON.stringify(exploration, null, 2))}\n`, randomBytes(6).toString('hex'));
    await this.#settle(angleKey(exploration.angle), { file: basename(path) });
  }

  /** Ends an exploration without a result: the next process that wants the angle explores it. */
  async leave(angle: string): Promise<void> {
    await this.#settle(angleKey(angle), undefined);
  }

  async #settle(key: string, entry: CacheIndex['entries'][string] | undefined): Promise<void> {
    await this.#index.update((current = { version: 1, entries: {} }) => {
      const { [key]: _, ...others } = current.entries;
      return { next: { ...current, entries: { ...others, ...(entry ? { [key]: entry } : {}) } }, result: undefined };
    });
  }

  /** One of another folder came here with a copy of the project, and explores for the original. */
  #isAtWork(explorer: Explorer): boolean {
    return !isElsewhere(explorer, this.#store.pinned.identity) && livenessOf(explorer) !== 'dead';
  }

  #path(file: string): string {
    return join(this.#store.paths.session.explorations, file);
  }

  #read(path: string): Exploration | undefined {
    const text = readText(this.#store.disk, path);
    if (text === undefined) return undefined;
    try {
      return explorationSchema.safeParse(JSON.parse(text)).data;
    } catch {
      // Not JSON: counts as missing, and is explored again.
      return undefined;
    }
  }
}

/** A file name that no other angle has: angles in non-Latin scripts all give the same slug. */
function freeFile({ entries }: CacheIndex, angle: string): string {
  const taken = new Set(Object.values(entries).map(({ file }) => file));
  const base = `explore-${slug(angle, ANGLE)}`;
  for (let number = 1; ; number += 1) {
    const file = number === 1 ? `${base}.json` : `${base}-${number}.json`;
    if (!taken.has(file)) return file;
  }
}
