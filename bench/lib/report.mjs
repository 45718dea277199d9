/** The output of the bench: tables while it runs, the goals at the end; both are kept. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { basename, join } from 'node:path';
import { isWhole } from './body.mjs';
import { short, sum } from './figures.mjs';
import { draw } from './svg.mjs';

const nameOf = (kind) => (kind.includes('/') ? basename(kind).replace(/\.mjs/, '') : kind);
const isOurs = (kind) => kind.startsWith('product/');

const padded = (cells, widths) =>
  cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]) : cell.padStart(widths[n]))).join('  ');

export function print(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) console.log(`  ${padded(row, widths).trimEnd()}`);
}

/** Describes what is missing; a rate with losses does not count. */
function lossOf(audits = []) {
  if (audits.every(isWhole)) return '';
  const all = (key) => sum(audits.map((one) => one[key]));
  return `LOSS: ${all('lost')} lost, ${all('damaged')} damaged, ${all('repeated')} repeated`;
}

export function printTable(title, rows) {
  console.log(`\n${title}`);
  const heads = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const body = rows.map(({ name, figures, audits }) => [
    `${isOurs(name) ? '* ' : '  '}${nameOf(name)}`,
    ...heads.map((head) => short(figures[head])),
    lossOf(audits),
  ]);
  print([['', ...heads.map((head) => head.replace(/(\S+\/\S+\.mjs)/, nameOf)), ''], ...body]);
}

/** @returns {{id: string, goal: string, ratio: number | null, pass: boolean | null}} */
export function judge({ id, goal, ratio, atLeast = -Infinity, atMost = Infinity, holds = true, skipped = false }) {
  if (skipped) return { id, goal, ratio: null, pass: null };
  return { id, goal, ratio: Number(ratio.toPrecision(4)), pass: holds && ratio >= atLeast && ratio <= atMost };
}

const verdict = ({ pass }) => (pass === null ? 'skipped' : pass ? 'pass' : 'FALLS SHORT');

export function printGoals(goals) {
  console.log('\nGoals');
  print([
    ['goal', 'id', 'measured', ''],
    ...goals.map((one) => [one.goal, one.id, short(one.ratio ?? Number.NaN), verdict(one)]),
  ]);
  const short_ = goals.filter(({ pass }) => pass === false).length;
  console.log(`\n${goals.filter(({ pass }) => pass).length} of ${goals.length} met, ${short_} fall short.`);
}

/** What a reader needs to know about the machine, and no more. */
const machine = () => ({
  cpu: cpus()[0].model,
  cores: cpus().length,
  kernel: release().replace(/-.*$/, ''),
  node: process.version,
});

/** @param {object[]} curves drawn as files in the same folder */
export function keep(folder, goals, curves) {
  mkdirSync(folder, { recursive: true });
  const latest = { goals, machine: machine(), date: new Date().toISOString().slice(0, 10) };
  writeFileSync(join(folder, 'latest.json'), `${JSON.stringify(latest, null, 2)}\n`);
  for (const { file, ...curve } of curves) writeFileSync(join(folder, file), draw(curve));
}
