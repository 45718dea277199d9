/** The copies that a lead makes of its team's refs in the project's repository, while the run goes on and at its end. */
import { pauseAfter } from '../../policy/landing/landing-trouble.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { requireGit } from '../process/git-tree.ts';
import { git } from '../process/git.ts';
import { inVault, VaultRefs, type VaultGit } from '../trees/vault.ts';
import { mirror } from './mirror.ts';

/** The copy is made at most this often. */
const MIRROR_MS = 5_000;
/** How long the last copy is tried, and the pause between two tries. */
const LAST_MIRROR_MS = 20_000;
const MIRROR_PAUSE_MS = 250;
/** A copy fails now and then, while the user's own git holds a ref. */
const TOLD_AFTER = 3;

export class ProjectMirror {
  readonly #store: TeamReader;
  readonly #say: (why: string) => void;
  readonly #refs: string;
  #copied = { at: Number.NEGATIVE_INFINITY, refs: '' };
  /** In a row. */
  #failed = 0;

  /** @param say is called once for a copy that fails again and again */
  constructor(store: TeamReader, say: (why: string) => void) {
    this.#store = store;
    this.#say = say;
    this.#refs = new VaultRefs(store).all;
  }

  /** Copies what is new, unless that was tried a moment ago. @throws GitFailure if the team's own repository fails */
  async renew(how: VaultGit): Promise<void> {
    const pause = this.#failed === 0 ? MIRROR_MS : Math.max(MIRROR_MS, pauseAfter(this.#failed));
    if (this.#store.clock.monotonic() - this.#copied.at < pause) return;
    const trouble = await this.#copy(how);
    this.#failed = trouble === undefined ? 0 : this.#failed + 1;
    if (trouble !== undefined && this.#failed === TOLD_AFTER) this.#say(trouble);
  }

  /** No later copy makes up for this one, so it is tried for a while. @returns why it failed */
  async finish(how: VaultGit): Promise<string | undefined> {
    const { clock } = this.#store;
    const deadline = clock.monotonic() + LAST_MIRROR_MS;
    let trouble = await this.#copy(how);
    while (trouble !== undefined && clock.monotonic() < deadline) {
      await clock.sleep(MIRROR_PAUSE_MS);
      trouble = await this.#copy(how);
    }
    return trouble;
  }

  async #copy(how: VaultGit): Promise<string | undefined> {
    const at = this.#store.clock.monotonic();
    const listed = await git(
      ['for-each-ref', '--format=%(refname) %(objectname)', this.#refs],
      inVault(this.#store.paths, how),
    );
    const refs = requireGit(listed, 'git for-each-ref');
    if (refs === this.#copied.refs) return undefined;
    const trouble = await mirror(this.#store, this.#refs, how);
    this.#copied = { at, refs: trouble === undefined ? refs : '' };
    return trouble;
  }
}
