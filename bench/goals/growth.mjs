/** Goal 12: a verb whose answer does not grow costs the same on a board of any size, and the lead is soon ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ledId, VERBS, verbId } from '../limits.mjs';
import { ROOT } from '../lib/build.mjs';
import { median, ratio } from '../lib/figures.mjs';
import { processorMs, residentMb } from '../lib/process-cost.mjs';
import { processorTime, wallTime } from '../lib/timed-program.mjs';

export const rows = [11, 12];

const env = { PATH: process.env.PATH, HOME: process.env.HOME };
/** A lead has started, and its first looks are over. */
const SETTLED_MS = 3_000;
const SIZES = [100, 10_000, 100_000];
const TEAMS = join(ROOT, 'bin', 'teams.js');
const LEAST = join(ROOT, 'bench', 'least', 'ask-lead.cjs');
const BUNDLE = join(ROOT, 'dist', 'frequent.cjs');

/** In this order, once a round: a claim that is released, then the oldest pending task is claimed and completed. */
const ARGUMENTS = {
  send: () => ['send', 'bench', 'ada', 'hello'],
  status: () => ['status', 'bench'],
  'task list': () => ['task', 'list', 'bench'],
  'task get': () => ['task', 'get', 'bench', '77'],
  'task create': () => ['task', 'create', 'bench', 'One more'],
  'task claim': () => ['task', 'claim', 'bench', '50'],
  'task release': () => ['task', 'release', 'bench', '50'],
  'task claim --next': () => ['task', 'claim', 'bench', '--next'],
  'task complete': (round) => ['task', 'complete', 'bench', String(round + 1), '--result', 'done'],
  inbox: () => ['inbox', 'bench', 'ada'],
  why: () => ['why', 'bench', '77'],
  'why of the team': () => ['why', 'bench'],
  list: () => ['list'],
  log: () => ['log', 'bench'],
};

export async function measure(bench) {
  const product = await import('../.build/product.mjs');
  const sizes = bench.wants(12) ? SIZES : SIZES.slice(0, 1);
  const teams = [];
  for (const tasks of sizes) teams.push(await teamOf(bench, product, tasks));
  const empty = join(bench.dir, 'empty.cjs');
  writeFileSync(empty, '');
  const times = Object.fromEntries(Object.keys(ARGUMENTS).map((verb) => [verb, teams.map(() => [])]));
  const empties = [];
  for (let round = 0; round < Math.min(bench.size.starts, 45); round += 1) {
    empties.push(await processorTime([empty]));
    for (const [verb, argv] of Object.entries(ARGUMENTS))
      for (const [at, { root }] of teams.entries())
        times[verb][at].push(await processorTime([TEAMS, ...argv(round), '--root', root]));
  }
  show(bench, sizes, times, empties);
  if (bench.wants(11))
    for (const verb of VERBS.commandLine) bench.check(verbId(11, verb), { ours: times[verb][0], theirs: empties });
  if (bench.wants(11)) await askLead(bench, teams[0], empty);
  if (!bench.wants(12)) return;
  for (const verb of VERBS.notGrowing)
    bench.check(verbId(12, verb), { ours: times[verb].at(-1), theirs: times[verb][0] });
  const [few, many] = [median(times['task list'][0]), median(times['task list'].at(-1))];
  bench.check('12.list', { ours: ((many - few) * 1_000) / (SIZES.at(-1) - SIZES[0]) });
  await leads(bench, teams);
  await sendsAndTakes(bench);
}

/** The verbs that a living lead answers: what they cost their own process; the lead's part is told beside it. */
async function askLead(bench, { root }, empty) {
  const lead = spawn(process.execPath, [TEAMS, 'lead', 'bench', '--root', root, '--quiet'], { env, stdio: 'ignore' });
  await setTimeout(SETTLED_MS);
  const times = Object.fromEntries(VERBS.looking.map((verb) => [verb, []]));
  const least = Object.fromEntries(VERBS.looking.map((verb) => [verb, []]));
  const [empties, ofLead] = [[], []];
  for (let round = 0; round <= Math.min(bench.size.starts, 45); round += 1) {
    const alone = await processorTime([empty]);
    const asked = [];
    for (const verb of VERBS.looking) asked.push(await processorTime([LEAST, root, BUNDLE, ...ARGUMENTS[verb](round)]));
    const before = processorMs(lead.pid);
    const took = [];
    for (const verb of VERBS.looking)
      took.push(await processorTime([TEAMS, ...ARGUMENTS[verb](round), '--root', root]));
    const share = (processorMs(lead.pid) - before) / VERBS.looking.length;
    if (round === 0) continue; // The lead loads what it answers with.
    empties.push(alone);
    ofLead.push(share);
    for (const [at, verb] of VERBS.looking.entries()) {
      times[verb].push(took[at]);
      least[verb].push(asked[at]);
    }
  }
  lead.kill('SIGTERM');
  await once(lead, 'exit');
  bench.say(`what the lead does for an answer takes it ${median(ofLead).toFixed(1)} ms more`);
  for (const verb of VERBS.looking)
    bench.check(ledId(verb), { ours: times[verb], theirs: empties, least: least[verb] });
}

function show(bench, sizes, times, empties) {
  const lines = Object.entries(times).map(([name, all]) => ({
    name,
    figures: Object.fromEntries([
      ...sizes.map((size, at) => [`${size} ms`, median(all[at])]),
      ['× empty', ratio(all[0], empties)],
      ...sizes.slice(1).map((size, at) => [`${size} ×`, ratio(all[at + 1], all[0])]),
    ]),
  }));
  bench.table(`Verbs, processor time; an empty .cjs takes ${median(empties).toFixed(1)} ms`, lines);
}

/** Mail that is sent and taken one by one, for weeks: what a message costs in the end. */
async function sendsAndTakes(bench) {
  const { makeTeamIn, READER, readerIn, senderIn } = await import('../product/team.mjs');
  const dir = join(bench.dir, 'mail');
  mkdirSync(dir);
  makeTeamIn(dir);
  const [sender, reader] = [senderIn(dir), readerIn(dir)];
  const spans = [];
  for (let part = 0; part < 10; part += 1) {
    const began = performance.now();
    for (let n = 0; n < bench.size.mails / 10; n += 1) {
      const draft = { type: 'message', content: `mail ${part}.${n}` };
      await sender.send({ sender: 'many', recipient: READER, draft });
      reader.acknowledge(await reader.take(1));
    }
    spans.push(performance.now() - began);
  }
  reader.close();
  bench.say(`${bench.size.mails} sends and takes, by tenths: ${spans.map((ms) => ms.toFixed(0)).join(' ')} ms`);
  bench.check('12.mail', { ours: [spans.at(-1)], theirs: [spans[0]] });
}

/** A team whose log has one record a task: the work of weeks, not of one plan. */
async function teamOf(bench, { makeTeam, indexEvents }, tasks) {
  const root = join(bench.dir, `growth-${tasks}`);
  mkdirSync(root);
  const handle = makeTeam('bench', { members: [{ name: 'ada', agent: { kind: 'exec' } }] }, { root, environment: {} });
  const { paths } = handle;
  const author = { person: 'lead', epoch: handle.store.board.fold().lead.epoch };
  const events = [];
  for (let n = 1; n <= tasks; n += 1)
    for (const type of ['agent.turn_ended', 'agent.printed', 'lead.decided'])
      events.push(
        `\n${JSON.stringify({ at: AT, type, member: 'ada', task: String(n), text: 'As it was in weeks of work.' })}\n`,
      );
  appendFileSync(paths.events, events.join(''));
  // A lead does it between its other work.
  Array.from(indexEvents(handle.store));
  await handle[Symbol.asyncDispose]();
  const text = [readFileSync(paths.log, 'utf8')];
  for (let n = 1; n <= tasks; n += 1)
    text.push(`\n${JSON.stringify({ id: idOf(n), v: 1, at: AT, author, type: 'task.created', ...task(n) })}\n`);
  writeFileSync(paths.log, text.join(''));
  // The first verb that folds the whole log writes the checkpoint.
  const first = await wallTime([TEAMS, 'send', 'bench', 'ada', 'first', '--root', root]);
  bench.say(
    `${tasks} tasks: ${(statSync(paths.log).size / 1e6).toFixed(1)} MB; the first send ${Math.round(first)} ms, checkpoint ${sizeOf(paths.checkpoint)} MB`,
  );
  return { root, paths };
}

const sizeOf = (path) => ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6).toFixed(1);
const AT = '2026-01-01T00:00:00.000Z';
const idOf = (n) => `01KA0000000000000${String(n).padStart(9, '0')}`;
const task = (n) => ({
  task: String(n),
  fields: {
    subject: `Task ${n} of a long history`,
    description: '',

    blockedBy: [],
    work: { files: [], verify: [], env: {} },
    retries: 0,
    required: true,
    metadata: {},
  },
});

/** How long a lead takes until it has the team, and its memory then. */
async function leads(bench, teams) {
  const rows = [];
  for (const [at, { root, paths }] of teams.entries()) {
    const began = performance.now();
    const child = spawn(process.execPath, [TEAMS, 'lead', 'bench', '--root', root], {
      env,
      stdio: 'ignore',
    });
    while (child.exitCode === null && !existsSync(paths.state)) await setTimeout(20);
    const ready = performance.now() - began;
    const memory = child.exitCode === null ? residentMb(child.pid) : Number.NaN;
    rows.push({ name: `${SIZES[at]} tasks`, figures: { 'ready ms': ready, 'resident MB': memory } });
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  bench.table('Leads', rows);
  const { figures } = rows.at(-1);
  bench.check('12.lead-ready', { ours: figures['ready ms'] / 1_000 });
  bench.check('12.lead-memory', { ours: figures['resident MB'] });
}
