/**
 * The teams of a root; each is followed from its first request until the server ends, or another team is made in its
 * place.
 */
import { basename } from 'node:path';
import {
  listTeams,
  openHandle,
  UsageError,
  type ListedTeam,
  type DetachedPlace,
  type OpenOptions,
  type TeamHandle,
} from '../../app.ts';
import { LiveTeam, type LiveOptions } from './live-team.ts';
import type { TeamEntry } from './wire-types.ts';

export interface TeamCacheOptions extends LiveOptions {
  /** For commands. */
  readonly open: OpenOptions;
}

const idOf = ({ paths }: ListedTeam): string => basename(paths.folder);

export class TeamCache implements AsyncDisposable {
  readonly #options: TeamCacheOptions;
  readonly #shown = new Map<string, Promise<LiveTeam>>();
  /** Teams in whose place another was made. */
  readonly #left: Promise<void>[] = [];
  readonly #end = new AbortController();

  constructor(options: TeamCacheOptions) {
    this.#options = options;
  }

  /** Aborts when the server ends. */
  get closing(): AbortSignal {
    return this.#end.signal;
  }

  /** Where a lead is started for a team that nobody leads. */
  get place(): DetachedPlace {
    const { root, environment = {} } = this.#options.open;
    return { cwd: root, environment };
  }

  list(): TeamEntry[] {
    return this.#teams().map((team) => ({
      id: idOf(team),
      name: team.name,
      archivedAt: team.archivedAt,
    }));
  }

  /** @throws UsageError `UNKNOWN_TEAM` */
  async live(id: string): Promise<LiveTeam> {
    const shown = this.#shown.get(id);
    if (shown !== undefined) {
      const present = await shown;
      if (!present.isReplaced()) return present;
      if (this.#shown.get(id) === shown) {
        this.#shown.delete(id);
        this.#left.push(present.close());
      }
      return this.live(id);
    }
    const team = this.#find(id);
    const place = { id, paths: team.paths, isArchived: team.archivedAt !== undefined };
    const made = LiveTeam.open(place, this.#options);
    this.#shown.set(id, made);
    // If opening failed, the next request tries again.
    made.catch(() => this.#shown.delete(id));
    return made;
  }

  /** Opens the first team before it is requested; a later request reports any error. */
  warm(id = this.list()[0]?.id): void {
    if (id !== undefined) this.live(id).catch(() => {});
  }

  /**
   * Opens a team for a command, as the person who started the server.
   * @throws UsageError `UNKNOWN_TEAM`, `POLICY_DENIED`
   */
  handle(id: string): TeamHandle {
    const { name, archivedAt } = this.#find(id);
    if (archivedAt !== undefined)
      throw new UsageError('POLICY_DENIED', `Team ${name} is archived; no process reads its mail.`);
    return openHandle(name, this.#options.open);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    const opened = await Promise.allSettled(this.#shown.values());
    await Promise.all(opened.flatMap((team) => (team.status === 'fulfilled' ? [team.value.close()] : [])));
    await Promise.all(this.#left);
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
