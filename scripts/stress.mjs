/**
 * node scripts/stress.mjs [--long] [SUITE…] — runs the suites in the table of docs/reliability.md "The four layers",
 * larger than on each commit, and prints their figures. `--long` takes the sizes of that table's second column: hours.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SUITES = [
  'simulation',
  'faults',
  'mutants',
  'model-based',
  'team-past',
  'lines-fuzz',
  'aimed-kills',
  'stress',
  'stress-disk',
  'campaign',
  'budget-campaign',
  'wake-up',
  'frames',
  'life',
];
const PLACES = ['test/store', 'test/runtime', 'test/runtime/relay', 'test/runtime/views', 'test/surfaces/mcp'];

const unknown = process.argv.slice(2).filter((argument) => argument.startsWith('-') && argument !== '--long');
if (unknown.length > 0) {
  console.error(`Usage: npm run test:stress -- [--long] [SUITE…]; the suites are ${SUITES.join(', ')}.`);
  process.exit(2);
}
const isLong = process.argv.includes('--long');
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const home = mkdtempSync(join(tmpdir(), 'teams-stress-'));
const figures = join(home, 'figures.jsonl');
const environment = { STRESS: isLong ? 'long' : 'short', TEAMS_FIGURES: figures };

const suites = (wanted.length > 0 ? wanted : SUITES)
  .flatMap((suite) => PLACES.map((place) => `${place}/${suite}.test.ts`))
  .filter((path) => existsSync(join(ROOT, path)));
if (suites.length === 0) throw new Error(`There is no such suite; there are ${SUITES.join(', ')}.`);
const args = ['vitest', 'run', '--no-file-parallelism', '--testTimeout', isLong ? '21600000' : '600000', ...suites];
const { status } = spawnSync('npx', args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...environment } });

const text = existsSync(figures) ? readFileSync(figures, 'utf8') : '';
rmSync(home, { recursive: true });
const rows = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
const ms = (value) => (typeof value === 'number' ? `${value.toFixed(1)} ms` : '');
const table = [
  ['area', 'count', 'violations', 'p50', 'p99'],
  ...rows.map(({ area, count, violations, p50, p99 }) => [area, String(count), String(violations), ms(p50), ms(p99)]),
];
const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
const shown = (row) =>
  row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ');
console.log(`\n${table.map(shown).join('\n')}\n`);
process.exitCode = status ?? 1;
if (rows.some(({ violations }) => violations > 0)) process.exitCode = 1;
