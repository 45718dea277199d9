/**
 * One budget, sixteen members, a model server that bills every request it got; members and leads are killed at random.
 * The size is in test/support/sizes.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { until, Workplace } from '../support/cli.ts';
import { figure } from '../support/figures.ts';
import { allowLeft } from '../support/leftovers.ts';
import { isRunning } from '../support/session.ts';
import { SIZES, TIMEOUT_MS } from '../support/sizes.ts';

const MEMBERS = 16;
const LIMIT = process.env['STRESS'] === undefined ? 0.3 : 1.5;
/** Within what each request allows: at least 256 tokens of output. */
const USAGE = { input: 1_000, output: 250 };
const USD = (USAGE.input * 2 + USAGE.output * 10) / 1e6;
/** Most requests between two kills, and most milliseconds from a request to its kill: a slow machine gets on, too. */
const KILL_WITHIN = { requests: 8, ms: 400 };

const NAMES = Array.from({ length: MEMBERS }, (_, at) => `worker-${at + 1}`);
const plan = (url: string): string => `name: crew
budget: { cost: ${LIMIT} }
members:
${NAMES.map((name) => `  - { name: ${name}, agent: { kind: anthropic, model: claude-sonnet-5-5, baseUrl: "${url}", env: { ANTHROPIC_API_KEY: none } } }`).join('\n')}
tasks:
${Array.from({ length: 900 }, (_, at) => `  - { subject: Task ${at + 1}, retries: 100 }`).join('\n')}
`;

const processSchema = z.object({ pid: z.number() });

/** The pids of the team's processes, the lead's first. */
function pidsOf(place: Workplace): { lead: number[]; members: number[] } {
  const folder = join(place.root, '.teams', 'crew', 'processes');
  const pids = (wanted: (file: string) => boolean): number[] =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.json') && !file.includes('lease') && wanted(file))
      .flatMap((file) => {
        try {
          const { pid } = processSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
          return isRunning(pid) ? [pid] : [];
        } catch {
          // It is being replaced or removed.
          return [];
        }
      });
  return { lead: pids((file) => file === 'lead.json'), members: pids((file) => file !== 'lead.json') };
}

const budgetSchema = z.object({
  limits: z.array(z.object({ meter: z.string(), spent: z.number(), reserved: z.number() })),
});

/** Runs the team until its budget is used up; a lead that was killed is followed by the next one. */
async function campaign(seed: number): Promise<{ kills: number; leads: number; billed: number; spent: number }> {
  let random = seed;
  const draw = (below: number): number => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((random / 2 ** 31) * below);
  };
  const server = await ModelServer.start({ script: [{ text: 'Done.', times: 'always', usage: USAGE }] });
  const place = new Workplace();
  place.put('crew.yaml', plan(server.url));
  let [kills, leads, isOver] = [0, 1, false];
  let led = place.start('run', 'crew.yaml', '--yes');
  let [killAt, isDue] = [1, false];
  const kill = (): void => {
    isDue = false;
    killAt = server.requests.length + 1 + draw(KILL_WITHIN.requests);
    try {
      const { lead, members } = pidsOf(place);
      const victims = draw(10) === 0 ? lead : members;
      const pid = victims[draw(victims.length)];
      if (pid === undefined) return;
      process.kill(pid, 'SIGKILL');
      kills += 1;
    } catch {
      // There is no team yet, or it ended in this moment.
    }
  };
  const killer = setInterval(() => {
    if (isDue || server.requests.length < killAt) return;
    isDue = true;
    setTimeout(kill, draw(KILL_WITHIN.ms));
  }, 20);
  onTestFinished(() => clearInterval(killer));
  while (!isOver) {
    const { signal, out, err } = await led.ended;
    isOver = signal === null && `${out}${err}`.includes('The budget is used up');
    if (signal === null && !isOver) throw new Error(`The run ended otherwise:\n${out}${err}`);
    if (isOver) break;
    leads += 1;
    led = place.start('resume', 'crew', '--yes');
  }
  clearInterval(killer);
  const { limits } = await place.json(budgetSchema, 'budget', 'crew');
  const [cost] = limits.filter(({ meter }) => meter === 'cost');
  const billed = server.requests.length * USD;
  await server.close();
  await until(() => pidsOf(place).members.length === 0, 'no member runs');
  return { kills, leads, billed, spent: (cost?.spent ?? NaN) + (cost?.reserved ?? NaN) };
}

it(
  "members and leads that are killed never spend more than the team's budget, and nothing is lost from the bill",
  { timeout: 4 * TIMEOUT_MS },
  async () => {
    const all: Awaited<ReturnType<typeof campaign>>[] = [];
    for (let seed = 1; seed <= SIZES.budgetRuns; seed += 1) {
      allowLeft();
      all.push(await campaign(seed));
    }
    const over = all.filter(({ billed, spent }) => billed > LIMIT || spent > LIMIT + 1e-9);
    const untold = all.filter(({ billed, spent }) => billed > spent + 1e-9);
    figure({ area: 'runs of one budget', count: all.length, violations: over.length + untold.length });
    if (process.env['STRESS'] !== undefined) console.warn(JSON.stringify(all));
    expect({ over, untold }).toEqual({ over: [], untold: [] });
    for (const { kills } of all) expect(kills).toBeGreaterThan(0);
  },
);
