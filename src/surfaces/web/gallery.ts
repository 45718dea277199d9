/** The teams of a root, each followed from when it is first looked at until the server ends. */
import { basename } from 'node:path';
import { listTeams, openHandle, UsageError, type ListedTeam, type OpenOptions, type TeamHandle } from '../../index.ts';
import { LiveTeam, type LiveOptions } from './live-team.ts';
import type { TeamEntry } from './shapes.ts';

export interface GalleryOptions extends LiveOptions {
  /** For deeds. */
  readonly open: OpenOptions;
}

const idOf = ({ paths }: ListedTeam): string => basename(paths.folder);

export class Gallery implements AsyncDisposable {
  readonly #options: GalleryOptions;
  readonly #shown = new Map<string, LiveTeam>();
  readonly #end = new AbortController();

  constructor(options: GalleryOptions) {
    this.#options = options;
  }

  /** Aborts when the server ends. */
  get closing(): AbortSignal {
    return this.#end.signal;
  }

  list(): TeamEntry[] {
    return this.#teams().map((team) => ({
      ...{ id: idOf(team), name: team.name },
      ...(team.archivedAt === undefined ? {} : { archivedAt: team.archivedAt }),
    }));
  }

  /** @throws UsageError `UNKNOWN_TEAM` */
  live(id: string): LiveTeam {
    const shown = this.#shown.get(id);
    if (shown !== undefined) return shown;
    const team = this.#find(id);
    const made = new LiveTeam({ id, paths: team.paths, isArchived: team.archivedAt !== undefined }, this.#options);
    this.#shown.set(id, made);
    return made;
  }

  /** For a deed, in the name of who started the server. @throws UsageError `UNKNOWN_TEAM`, `POLICY_DENIED` */
  handle(id: string): TeamHandle {
    const { name, archivedAt } = this.#find(id);
    if (archivedAt !== undefined)
      throw new UsageError('POLICY_DENIED', `Team ${name} has ended; nobody reads its mail any more.`);
    return openHandle(name, this.#options.open);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await Promise.all([...this.#shown.values()].map((team) => team.close()));
  }

  #teams(): ListedTeam[] {
    return listTeams(this.#options.open.root);
  }

  #find(id: string): ListedTeam {
    const found = this.#teams().find((team) => idOf(team) === id);
    if (found) return found;
    throw new UsageError('UNKNOWN_TEAM', `There is no team ${JSON.stringify(id)} under ${this.#options.open.root}.`);
  }
}
