// Reads paths between NULs from stdin, picks the package manifests, and prints what they declare, which packages are
// installed in more than one version, and under which licences. Reads package.json and package-lock.json (v1 to v3) only,
// asks no registry, runs no package manager.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { NO_LICENCE, survey } from './packages.mjs';

const NOT_READ =
  /^(yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.toml|go\.mod|requirements.*\.txt|pyproject\.toml|Gemfile|composer\.json|pom\.xml|build\.gradle(\.kts)?)$/;
const COPYLEFT = /\b(A?GPL|LGPL|MPL|EPL|CDDL|EUPL|SSPL)/i;
const ROWS = 20;

const byName = ([a], [b]) => (a < b ? -1 : 1);
const count = (n, noun, plural = `${noun}s`) => `${n} ${n === 1 ? noun : plural}`;

/** Foreign text as one inert table cell: it can end neither the code span, nor the row; a URL loses its password. */
function cell(text, longest = 100) {
  const inert = String(text)
    .replace(/\/\/[^/\s@]+@/g, '//…@')
    .replace(/((?:token|key|secret|password)[\w-]*=)[^&\s]+/gi, '$1…')
    .replace(/\p{Cc}/gu, '?')
    .replaceAll('`', "'");
  const short = inert.length > longest ? `${inert.slice(0, longest)}…` : inert;
  return `\`${short.replaceAll('|', '\\|')}\``;
}

function table(head, align, rows) {
  const shown = rows.slice(0, ROWS).map((row) => `| ${row.join(' | ')} |`);
  const rest = rows.length > ROWS ? ['', `${rows.length - ROWS} more not listed.`] : [];
  return ['', `| ${head.join(' | ')} |`, `|${align.join('|')}|`, ...shown, ...rest];
}

function manifestRows({ manifests }) {
  return manifests.map(({ path, counts, licence, isLocked }) => [
    cell(path),
    ...counts,
    isLocked ? 'yes' : 'no',
    cell(licence ?? 'not stated', 40),
  ]);
}

const several = (map) =>
  [...map].filter(([, values]) => values.size > 1).sort((a, b) => b[1].size - a[1].size || byName(a, b));
const list = (values) =>
  [...values]
    .sort()
    .slice(0, 8)
    .map((one) => cell(one, 40))
    .join(' ') + (values.size > 8 ? ' …' : '');

function section(title, map, head) {
  const rows = several(map).map(([name, values]) => [cell(name), values.size, list(values)]);
  if (rows.length === 0) return [];
  return ['', title(rows.length), ...table(head, ['---', '---:', '---'], rows)];
}

function licenceRows(licences) {
  const rows = [...licences].sort((a, b) => b[1].size - a[1].size || byName(a, b));
  return rows.map(([name, packages]) => {
    const look = COPYLEFT.test(name) || name === NO_LICENCE;
    return [cell(name, 60), packages.size, look ? list(packages) : ''];
  });
}

function tables(found) {
  const { versions, ranges, licences } = found;
  const manifestHead = ['manifest', 'runs on', 'dev', 'peer', 'optional', 'locked', 'licence'];
  const licenceTable = table(['licence', 'packages', 'look at'], ['---', '---:', '---'], licenceRows(licences));
  const licenceTitle = 'Licences of the locked packages; named are those that want a look (copyleft, or none stated):';
  return [
    ...table(manifestHead, ['---', '---:', '---:', '---:', '---:', '---', '---'], manifestRows(found)),
    ...section((n) => `${count(n, 'package')} locked in more than one version:`, versions, [
      'package',
      'versions',
      'which',
    ]),
    ...section((n) => `${count(n, 'package')} declared with different ranges:`, ranges, ['package', 'ranges', 'which']),
    ...(licences.size > 0 ? ['', licenceTitle, ...licenceTable] : []),
  ];
}

function summary({ manifests, ranges, versions }) {
  const packages = [...versions.values()].reduce((sum, one) => sum + one.size, 0);
  const declared = `${count(manifests.length, 'package.json', 'package.json files')} declaring ${count(ranges.size, 'package')}`;
  if (packages === 0) return `${declared}; no package-lock.json tells what is installed.`;
  return `${declared}; ${packages} locked, ${several(versions).length} of them in more than one version.`;
}

/** At most ten of a list that may be long, with a word about the rest. */
function some(title, texts) {
  const rest = texts.length > 10 ? `, and ${texts.length - 10} more` : '';
  return texts.length === 0 ? [] : [`${title}: ${texts.slice(0, 10).join(', ')}${rest}.`];
}

function report(paths) {
  const found = survey(paths);
  const others = paths.filter((path) => NOT_READ.test(basename(path)));
  return [
    ...(found.manifests.length === 0 ? ['No package.json to read.'] : [summary(found), ...tables(found)]),
    '',
    'Limits: versions come from the package-lock.json beside a package.json, else only ranges are known. No registry was asked: nothing is said about age or known weaknesses.',
    ...some(
      'Seen but not read',
      others.map((path) => cell(path)),
    ),
    ...some(
      'Could not be read',
      found.unreadable.map(([path, why]) => `${cell(path)} (${why})`),
    ),
  ].join('\n');
}

const named = readFileSync(0, 'utf8')
  .split('\0')
  .filter((path) => path !== '');
process.stdout.write(`${report([...new Set(named.map((path) => path.replace(/^\.\//, '')))])}\n`);
