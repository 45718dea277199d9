/**
 * `FilesPlace`: a folder with a team on files that has something of everything that goes with it to a store: records, a
 * result, plans, state, a ledger, unread mail with a long body, and mail that a killed process had taken. Use it for
 * moves between files and a store (test/runtime/relay/migrate-*.test.ts).
 *
 *     const files = await FilesPlace.made(place);
 *     await files.ok('migrate', 'login', '--to', engine.url());
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { LEAD, parseName } from '../../src/model/text/names.ts';
import { realDisk } from '../../src/store/files/disk.ts';
import { linesOf } from '../../src/store/files/journal.ts';
import { teamPaths, type TeamPaths } from '../../src/store/files/paths.ts';
import { waitingMail } from '../../src/store/mail/inbox-view.ts';
import { Reader } from '../../src/store/mail/reader.ts';
import { keepPlan } from '../../src/store/board/plan-record.ts';
import { openStore } from '../../src/store/team/team-store.ts';
import { documentsOf } from '../../src/store/replica/team-documents.ts';
import { realClock } from './clock.ts';
import { BIN, type Answer, type Workplace } from './cli.ts';
import { told } from './machine.ts';

export const LOGIN = parseName('team', 'login');
const MEMBERS = [LEAD, parseName('member', 'ada'), parseName('member', 'bob')];

/** What a move must leave as it is. */
export interface TeamContent {
  readonly log: string;
  readonly mail: Record<string, string[]>;
  readonly results: string[];
  /** Its records. */
  readonly ledger: string[];
  readonly documents: Record<string, string>;
}

export class FilesPlace {
  readonly root: string;
  readonly place: Workplace;

  constructor(place: Workplace, name = 'files') {
    this.place = place;
    this.root = join(place.root, name);
    mkdirSync(this.root, { recursive: true });
  }

  static async made(place: Workplace): Promise<FilesPlace> {
    const files = new FilesPlace(place);
    await files.ok('create', 'login', '--member', 'ada', '--member', 'bob');
    for (const subject of ['One', 'Two', 'Three']) await files.ok('task', 'create', 'login', subject);
    await files.ok('task', 'claim', 'login', '1', '--as', 'ada');
    await files.ok('task', 'complete', 'login', '1', '--as', 'ada', '--result', `Done: ${'r'.repeat(5_000)}`);
    for (const text of ['taken', 'first', 'second ✓']) await files.ok('send', 'login', 'ada', text);
    await files.ok('send', 'login', 'bob', 'x'.repeat(300_000));
    await files.ok('send', 'login', 'lead', 'to the lead', '--as', 'bob');
    await files.ok('budget', 'login', '--set', 'cost=5', '--set', 'member.ada.turns=9');
    const store = openStore(files.paths, { clock: realClock });
    keepPlan(store, { file: 'p.yaml', format: 'yaml', text: 'name: login\n', vars: {} });
    store.earlierPlan(1).write({ version: 1, file: 'p.yaml', format: 'yaml', text: 'name: before\n', vars: {} });
    const [, ada = LEAD] = MEMBERS;
    const { disk, clock, locks, pinned, paths } = store;
    const reader = new Reader(paths, ada, { disk, clock, locks, pinned, isCurrent: () => true });
    // As a process does that is killed before it says that it has used it.
    await reader.take(1);
    reader.close();
    await store.close();
    return files;
  }

  get paths(): TeamPaths {
    return teamPaths(this.root, LOGIN);
  }

  /** Without a store: on the files of this folder. */
  teams(...argv: string[]): Promise<Answer> {
    return this.place.say([...argv, '--root', this.root], { environment: { TEAMS_STORE: '' } });
  }

  /** A verb as a process; the test ends it. */
  process(...argv: string[]): ChildProcess {
    return spawn(process.execPath, [BIN, ...argv, '--root', this.root], {
      cwd: this.place.root,
      env: { ...this.place.environment, TEAMS_STORE: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async ok(...argv: string[]): Promise<Answer> {
    const answer = await this.teams(...argv);
    expect(answer.code, `${argv.join(' ')}: ${told(answer)}`).toBe(0);
    return answer;
  }
}

export const hasTeam = (root: string): boolean => existsSync(teamPaths(root, LOGIN).config);

export function contentOf({ log, ...paths }: TeamPaths): TeamContent {
  const all: TeamPaths = { log, ...paths };
  const mail = MEMBERS.map((member): [string, string[]] => [
    member,
    [...waitingMail(realDisk, paths.inbox(member))].map((message) => JSON.stringify(message)),
  ]);
  const results = existsSync(paths.result('1', 1)) ? [readFileSync(paths.result('1', 1), 'utf8')] : [];
  const blobs = mail.flatMap(([, messages]) =>
    messages.flatMap((one) => /"blob":"([0-9a-f]{64})"/.exec(one)?.[1] ?? []),
  );
  return {
    log: readFileSync(log, 'utf8'),
    mail: Object.fromEntries(mail),
    results: [...results, ...blobs.map((hash) => readFileSync(paths.blob(hash), 'utf8'))],
    ledger: existsSync(paths.ledger) ? linesOf(realDisk, paths.ledger) : [],
    documents: Object.fromEntries(documentsOf(realDisk, all)),
  };
}
