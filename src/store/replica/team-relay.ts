/**
 * What the processes of one team in a store ask the relay of their machine. Nothing is loaded or connected before the
 * first question.
 */
import type { Name } from '../../model/text/names.ts';
import { hashText } from '../board/results.ts';
import type { RelayClient } from './relay-client.ts';
import type { ConfigChange, PaceTold, PostedMail, SpendingAsked } from './relay-request.ts';
import type { PlacementAsked } from './team-hosts.ts';

type ClientPlace = ConstructorParameters<typeof RelayClient>[0];

export class TeamRelay {
  readonly #team: Name;
  readonly #at: ClientPlace;
  #client: Promise<RelayClient> | undefined;
  /** What is asked without waiting for its answer. */
  readonly #rings = new Set<Promise<void>>();

  constructor(team: Name, at: ClientPlace) {
    this.#team = team;
    this.#at = at;
  }

  /** The client of this process, for what asks about leases. */
  client(): Promise<RelayClient> {
    return (this.#client ??= import('./relay-client.ts').then(({ RelayClient }) => new RelayClient(this.#at)));
  }

  /** As {@link RelayClient.commit}. @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_DIVERGED`, `TEAM_GONE` */
  async commit(line: string): Promise<void> {
    await (await this.client()).commit(this.#team, line);
  }

  /** As {@link RelayClient.post}. @throws StoreError as {@link commit} */
  async post(mail: PostedMail): Promise<void> {
    await (await this.client()).post(this.#team, mail);
  }

  /** As {@link RelayClient.configure}. @throws StoreError as {@link commit} */
  async configure(change: ConfigChange): Promise<boolean> {
    return (await this.client()).configure(this.#team, change);
  }

  /** As {@link RelayClient.commitLedger}. @throws StoreError as {@link commit} */
  async commitLedger(after: number, lines: readonly string[]): Promise<boolean> {
    return (await this.client()).commitLedger(this.#team, after, lines);
  }

  /** As {@link RelayClient.commitSpending}. @throws StoreError as {@link commit} */
  async commitSpending(asked: SpendingAsked): Promise<boolean> {
    return (await this.client()).commitSpending(asked);
  }

  /** Keeps a text in the team's store. @returns its hash. @throws StoreError as {@link commit} */
  async keep(text: string): Promise<string> {
    await (await this.client()).keep(this.#team, text);
    return hashText(text);
  }

  /** @returns the text of a hash; undefined if the team's store has none. @throws StoreError as {@link commit} */
  async kept(hash: string): Promise<string | undefined> {
    const text = await (await this.client()).kept(this.#team, hash);
    return text !== undefined && hashText(text) === hash ? text : undefined;
  }

  /** As {@link RelayClient.askForPlacement}. @throws StoreError as {@link commit} */
  async askForPlacement(asked: PlacementAsked): Promise<boolean> {
    return (await this.client()).askForPlacement(this.#team, asked);
  }

  /** Tells the other machines of the store of a vendor that is called here. @throws StoreError as {@link commit} */
  async tellPace(told: PaceTold): Promise<void> {
    await (await this.client()).tellPace(told);
  }

  /** Archives the team in its store. The relay moves its folder to the archive soon after. @throws StoreError as {@link commit} */
  async archive(): Promise<void> {
    await (await this.client()).archive(this.#team);
  }

  /** Rings the bell of a member whose process is on another machine. If it is not heard, it looks by itself soon. */
  ring(member: Name): void {
    const rung = this.client()
      .then((client) => client.ring(this.#team, member))
      .catch(() => {});
    this.#rings.add(rung);
    void rung.then(() => this.#rings.delete(rung));
  }

  /** This process must end: in a store that is away nothing is waited for but a few seconds. */
  hurry(): void {
    void this.#client?.then((client) => client.hurry());
  }

  /** This process has a lease: what it writes while the store is away waits for so long, in milliseconds. */
  waitFor(ms: number): void {
    void this.client().then((client) => client.waitFor(ms));
  }

  async close(): Promise<void> {
    await Promise.all(this.#rings);
    (await this.#client)?.[Symbol.dispose]();
  }
}
