/** The output of the bench: tables while it runs, the goals at the end; both are kept. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { basename, join } from 'node:path';
import { isWhole } from './body.mjs';
import { GOALS, limitText, WAIVED } from '../limits.mjs';
import { median, ratio, short, sum } from './figures.mjs';
import { pageOf, picturesOf } from './performance-page.mjs';
import { draw } from './svg.mjs';

const nameOf = (kind) =>
  kind.startsWith('least/') ? `least: ${nameOf(kind.slice('least/'.length))}` : basename(kind).replace(/\.mjs/, '');
const isOurs = (kind) => kind.startsWith('product/');

const padded = (cells, widths) =>
  cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]) : cell.padStart(widths[n]))).join('  ');

function lines(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) => `  ${padded(row, widths).trimEnd()}`);
}

/** Describes what is missing; a rate with losses does not count. */
function lossOf(audits = []) {
  if (audits.every(isWhole)) return '';
  const all = (key) => sum(audits.map((one) => one[key]));
  return `LOSS: ${all('lost')} lost, ${all('damaged')} damaged, ${all('repeated')} repeated`;
}

export function printTable(title, rows, say = console.log) {
  say(`\n${title}`);
  const heads = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const body = rows.map(({ name, figures, audits }) => [
    `${isOurs(name) ? '* ' : '  '}${nameOf(name)}`,
    ...heads.map((head) => short(figures[head])),
    lossOf(audits),
  ]);
  for (const line of lines([['', ...heads, ''], ...body])) say(line);
}

/**
 * Judges what was measured by its goal.
 *
 * @param {string} id a key of GOALS
 * @param {{ours?: number | number[], theirs?: number[], holds?: boolean, skipped?: string}} measured one value a round
 *   for both sides, or a figure of ours; `holds` is false where messages were lost; `skipped` says what is missing;
 *   `least` is measured like `ours`, of a program that does only what the rules leave (least/): a goal that it meets is
 *   not waived
 */
export function judge(id, { ours, theirs, least: leastOurs, holds = true, skipped }) {
  const goal = GOALS[id];
  if (goal === undefined) throw new Error(`${id} is not a goal.`);
  const facts = { id, goal: `${goal.says} ${limitText(goal)}`, load: Number(loadavg()[0].toFixed(1)) };
  const page = WAIVED[id];
  if (skipped !== undefined) return { ...facts, ours: null, theirs: null, ratio: null, pass: null, skipped };
  const [our, their] = [one(ours), theirs === undefined ? null : one(theirs)];
  const against = (values) => (theirs === undefined ? one(values) : ratio([values].flat(), theirs));
  const { least = -Infinity, most = Infinity } = goal;
  const meets = (value) => value >= least && value <= most;
  const measured = against(ours);
  const floor = leastOurs === undefined ? undefined : against(leastOurs);
  const isMet = holds && meets(measured);
  if (floor !== undefined) facts.least = digits(floor);
  const isWaived = page !== undefined && holds && (floor === undefined || !meets(floor));
  return {
    ...facts,
    ours: digits(our),
    theirs: their === null ? null : digits(their),
    ratio: digits(measured),
    pass: isMet || !isWaived ? isMet : `waived: ${page}`,
  };
}

const one = (values) => (Array.isArray(values) ? median(values) : values);
const digits = (value) => Number(value.toPrecision(4));

const verdict = ({ pass, skipped }) =>
  pass === null ? `SKIPPED: ${skipped}` : pass === true ? 'pass' : pass === false ? 'FALLS SHORT' : pass;

export function printGoals(goals, say = console.log) {
  say('\nGoals');
  const shown = (value) => (value === null ? '' : short(value));
  for (const line of lines([
    ['goal', 'id', 'ours', 'theirs', 'measured', 'least', 'load', ''],
    ...goals.map((goal) => [
      goal.goal,
      goal.id,
      shown(goal.ours),
      shown(goal.theirs),
      shown(goal.ratio),
      shown(goal.least ?? null),
      String(goal.load),
      verdict(goal),
    ]),
  ]))
    say(line);
  const count = (wanted) => goals.filter(({ pass }) => wanted(pass)).length;
  say(
    `\n${count((pass) => pass === true)} of ${goals.length} met, ${count((pass) => pass === false)} fall short, ${count((pass) => typeof pass === 'string')} waived, ${count((pass) => pass === null)} skipped.`,
  );
}

/** A change of less than this part is noise of the machine. */
const NOISE = 0.1;

/**
 * What moved since another run. Only goals that both have measured are compared, and only as ratios where they are some.
 */
export function printChanges(goals, earlier, say = console.log) {
  const before = new Map(earlier.goals.map((goal) => [goal.id, goal]));
  say(`\nSince ${earlier.date}`);
  const moved = goals.flatMap((goal) => {
    const old = before.get(goal.id)?.ratio;
    if (typeof old !== 'number' || goal.ratio === null || old === 0) return [];
    const change = goal.ratio / old - 1;
    if (Math.abs(change) < NOISE) return [];
    const isBetter = GOALS[goal.id].least === undefined ? change < 0 : change > 0;
    const by = `${change > 0 ? '+' : ''}${(100 * change).toFixed(0)} %`;
    return [[goal.goal, goal.id, short(old), short(goal.ratio), by, isBetter ? 'better' : 'WORSE']];
  });
  if (moved.length === 0) say(`  nothing moved by more than ${100 * NOISE} %`);
  else for (const line of lines([['goal', 'id', 'before', 'now', '', ''], ...moved])) say(line);
}

/** What a reader needs to know about the machine, and no more. */
const machine = () => ({
  cpu: cpus()[0].model,
  cores: cpus().length,
  kernel: release().replace(/-.*$/, ''),
  node: process.version,
});

/** The result of a run, as it is kept. */
export const resultOf = (goals) => ({ goals, machine: machine(), date: new Date().toISOString().slice(0, 10) });

/** @returns a result in which what was not measured now stays as it was, with its date */
function withEarlier(result, earlier) {
  const now = new Map(result.goals.map((goal) => [goal.id, { ...goal, date: result.date }]));
  const before = new Map((earlier?.goals ?? []).map((goal) => [goal.id, { date: earlier.date, ...goal }]));
  const goals = Object.keys(GOALS).flatMap((id) => now.get(id) ?? before.get(id) ?? []);
  return { ...result, goals };
}

/**
 * Keeps a result, its pictures and the page about it.
 *
 * @param {string} docs the folder of the documents
 * @param {object[]} curves drawn as files beside the result
 */
export function keep(docs, result, curves) {
  const folder = join(docs, 'bench');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'latest.json');
  const all = withEarlier(result, existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  for (const { file: name, ...curve } of curves) writeFileSync(join(folder, name), draw(curve));
  for (const { file: name, text } of picturesOf(all)) writeFileSync(join(folder, name), text);
  writeFileSync(join(docs, 'performance.md'), pageOf(all));
}
