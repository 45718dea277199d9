/**
 * The four real CLIs and a command on one board of twelve tasks, with messages between them. Each CLI is killed in the
 * middle of a turn, two of them twice, and so is the lead; the team is then resumed. `TIMES=5` does it five times.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Step } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { until, Workplace } from '../support/cli.ts';
import { figure } from '../support/figures.ts';
import { allowLeft } from '../support/leftovers.ts';
import { running } from '../support/processes.ts';
import { environment, REAL_CLIS, reach, realCli, type RealCli } from './clis.ts';

beforeEach(() => {
  allowLeft();
  allowLeft(/\/(?:homes|home)\//);
});

const TEAM = 'mixed';
/** Tasks in whose first turn the CLI is killed, and the one in whose first turn the lead is. */
const KILLED = ['claude-1', 'codex-1', 'gemini-1', 'opencode-1', 'codex-2', 'opencode-2'];
const LEAD_KILLED = 'claude-2';
/** Longer than a killed process can wait for its answer. */
const NEVER_MS = 30_000;

const worded = (owner: string, nth: number, blockedBy: readonly number[]) => ({
  subject: `Part ${nth} of ${owner}`,
  owner,
  prompt: `DO ${owner}-${nth} NOW`,
  blockedBy,
});
const gather = (subject: string, blockedBy: readonly number[]) => ({
  subject,
  owner: 'shell',
  blockedBy,
  run: 'echo gathered',
});

const TASKS = [
  ...REAL_CLIS.map((kind) => worded(kind, 1, [])),
  gather('Gather the first parts', [1, 2, 3, 4]),
  ...REAL_CLIS.map((kind) => worded(kind, 2, [5])),
  gather('Gather the second parts', [6, 7, 8, 9]),
  worded('codex', 3, [10]),
  gather('Put it together', [11]),
];

const PARTS = TASKS.flatMap((task) => ('prompt' in task ? [task.prompt.split(' ')[1] ?? ''] : []));

const nextOf = (kind: string): string =>
  REAL_CLIS[(REAL_CLIS.findIndex((one) => one === kind) + 1) % REAL_CLIS.length] ?? '';

/** The id in the answer of the tool to a message that was stored; some programs hand on its text, some its data. */
const SENT = /\b[0-9A-HJKMNP-TV-Z]{26}\b/;

/**
 * Each part is a message to the next member, and an answer. A turn that is killed between the model's call and the
 * program's tool has sent nothing: the call is made again until the tool has answered it.
 */
class Mind {
  readonly #left = new Set([...KILLED, LEAD_KILLED]);
  /** What the tool said of each part's message, and how often the model called it. */
  readonly told = new Map<string, { calls: number; answers: Set<string> }>();
  /** The parts whose turn is at work and to be killed. */
  readonly wanted: string[] = [];

  /** The turns that end with the lead are killed when they are at work again. */
  forget(): void {
    for (const part of this.wanted.splice(0)) this.#left.add(part);
  }

  /** Messages that were acknowledged, with their readers. */
  sent(): { part: string; to: string; id: string }[] {
    return [...this.told].flatMap(([part, { answers }]) =>
      [...answers].flatMap((answer) => {
        const [id] = SENT.exec(answer) ?? [];
        return id === undefined ? [] : [{ part, to: nextOf(part.split('-')[0] ?? ''), id }];
      }),
    );
  }

  readonly answer = (asked: Asked): Step => {
    const said = asked.messages.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
    const part = [...said.join('\n').matchAll(/DO (\w+-\d) NOW/g)].at(-1)?.[1] ?? '';
    if (part === '') return { text: 'Nothing to do.' };
    if (this.#left.delete(part)) {
      this.wanted.push(part);
      return { text: 'too late', delayMs: NEVER_MS };
    }
    const told = this.told.get(part) ?? { calls: 0, answers: new Set() };
    this.told.set(part, told);
    for (const answer of asked.results) told.answers.add(answer);
    if ([...told.answers].some((answer) => SENT.test(answer))) return { text: `Done ${part}.` };
    const [kind = ''] = part.split('-');
    told.calls += 1;
    return { calls: [{ tool: 'SendMessage', input: { recipient: nextOf(kind), content: `news of ${part}` } }] };
  };
}

async function team(place: Workplace, url: string): Promise<void> {
  const { PATH: _, HOME: __, ...keys } = environment('');
  const agents = Object.fromEntries(
    await Promise.all(
      REAL_CLIS.map(
        async (kind) => [kind, { kind, command: [await realCli(kind)], ...reach(kind, url), env: keys }] as const,
      ),
    ),
  );
  mkdirSync(join(place.root, 'home/config/teams'), { recursive: true });
  writeFileSync(join(place.root, 'home/config/teams/config.yaml'), JSON.stringify({ agents, fallback: [] }));
  const members = [...REAL_CLIS.map((name) => ({ name, agent: name })), { name: 'shell', agent: { kind: 'exec' } }];
  place.put('plan.json', JSON.stringify({ name: TEAM, members, tasks: TASKS }));
}

const isBelow = (root: string, { command, cwd }: { command: string; cwd: string | undefined }): boolean =>
  command.includes(root) || (cwd ?? '').startsWith(root);

/** @returns how many processes were killed */
function killCli(kind: RealCli, root: string): number {
  const all = running();
  const parents = new Map(all.map((one) => [one.pid, one]));
  const isOurs = (one: (typeof all)[number] | undefined, hops = 0): boolean =>
    one !== undefined && hops < 20 && (isBelow(root, one) || isOurs(parents.get(one.parent), hops + 1));
  const program = new RegExp(`teams-hosts/[^ ]*${kind}`);
  const found = all.filter((one) => program.test(one.command) && !/\bbwrap\b/.test(one.command) && isOurs(one));
  for (const { pid } of found) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended with another of them.
    }
  }
  return found.length;
}

const mailOf = (root: string, name: string): string => {
  const folder = join(root, '.teams', TEAM);
  const files = readdirSync(folder).filter((file) => new RegExp(`^${name}_(?:inbox|history).*\\.jsonl$`).test(file));
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('');
};

const board = z.object({ tasks: z.array(z.object({ status: z.string() })) });

it.for(Array.from({ length: Number(process.env['TIMES'] ?? 1) }, (_, nth) => nth + 1))(
  'twelve tasks of four real CLIs and a command are done, though six CLIs and the lead are killed (%i)',
  { timeout: 900_000 },
  async () => {
    const begun = performance.now();
    const place = new Workplace();
    const mind = new Mind();
    const server = await ModelServer.start({ titles: true, script: mind.answer });
    onTestFinished(() => server.close());
    await team(place, server.url);

    const killed: string[] = [];
    let lead = place.start('run', 'plan.json');
    let over = false;
    const watch = async (): Promise<void> => {
      while (!over) {
        await until(() => over || mind.wanted.length > 0, 'a turn is to be killed, or all is done', 600_000);
        const wanted = mind.wanted.shift();
        if (wanted === undefined) return;
        if (wanted === LEAD_KILLED) {
          lead.child.kill('SIGKILL');
          await lead.ended;
          await until(() => !running().some((one) => isBelow(place.root, one)), 'nothing of the team runs', 10_000);
          mind.forget();
          lead = place.start('resume', TEAM);
          killed.push('lead');
        } else {
          const kind = REAL_CLIS.find((one) => wanted.startsWith(one)) ?? expect.fail(wanted);
          expect(killCli(kind, place.root), wanted).toBeGreaterThan(0);
          killed.push(wanted);
        }
      }
    };
    const watching = watch();
    const finished = async () => {
      const first = await lead.ended;
      await until(
        () => killed.includes('lead'),
        `the lead is killed; it said ${first.out.slice(-2_000)}${first.err}`,
        15_000,
      );
      return lead.ended;
    };
    // The watching fails if a CLI that is to be killed is not found.
    const ended = await Promise.race([finished(), watching.then(finished)]);
    over = true;
    await watching;
    expect(ended.code, `${ended.out.slice(-2_000)}\n${ended.err.slice(-2_000)}`).toBe(0);
    expect(killed.sort()).toEqual([...KILLED, 'lead'].sort());
    const { tasks } = await place.json(board, 'task', 'list', TEAM);
    expect(tasks.filter(({ status }) => status === 'completed')).toHaveLength(TASKS.length);
    const sent = mind.sent();
    expect([...new Set(sent.map(({ part }) => part))].sort()).toEqual(PARTS.toSorted());
    for (const { part, to, id } of sent) expect(mailOf(place.root, to), `the message of ${part}`).toContain(id);
    await until(() => !running().some((one) => isBelow(place.root, one)), 'nothing of the team runs', 10_000);
    figure({
      area: 'a mixed team of real CLIs with kills',
      count: TASKS.length,
      violations: 0,
      times: [performance.now() - begun],
    });
  },
);
