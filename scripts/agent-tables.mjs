/**
 * node scripts/agent-tables.mjs [--only TITLE] [--out FILE] — makes the tables of what was tried with real programs
 * anew: agents by situation (the real CLIs, also isolated, and the model APIs), the mixed team with kills, and MCP hosts
 * with the protocol's conformance suite. What vitest prints meanwhile goes to stderr. The models are scripted; a program
 * that cannot be installed is named, and its cells are red. `ONLY=claude` limits the CLIs; the first run installs about
 * 2 GB.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HOSTS = ['--config', 'vitest.hosts.config.ts'];
const TABLES = [
  { title: 'Agents by situation', args: [...HOSTS, 'test/real-agents/agents.test.ts'] },
  { title: 'Isolated agents by situation', args: [...HOSTS, 'test/real-agents/isolated.test.ts'] },
  { title: 'Model APIs by situation', args: ['test/agents/loop/models.test.ts'] },
  {
    title: 'Mixed team with kills, an overloaded vendor',
    args: [
      ...HOSTS,
      'test/real-agents/mixed.test.ts',
      'test/real-agents/team.test.ts',
      'test/real-agents/trees.test.ts',
      'test/real-agents/overload.test.ts',
    ],
  },
  { title: 'MCP hosts, conformance, an ACP client', args: [...HOSTS, 'test/hosts'] },
];

/** @returns the tests that ran: suite, title, status, the first line of a failure */
async function tried(args, home) {
  const answer = join(home, 'answer.json');
  const reports = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${answer}`];
  const child = spawn('npx', ['vitest', 'run', ...reports, ...args], { cwd: ROOT, stdio: ['ignore', 2, 'inherit'] });
  await once(child, 'exit');
  const { testResults } = JSON.parse(readFileSync(answer, 'utf8'));
  return testResults.flatMap(({ name, status, message, assertionResults }) =>
    assertionResults.length === 0 && status === 'failed'
      ? [{ suite: name, title: 'could not begin', status, why: message }]
      : assertionResults.map((test) => ({
          suite: test.ancestorTitles.join(' '),
          title: test.title,
          status: test.status,
          why: test.failureMessages?.[0] ?? '',
        })),
  );
}

const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A suite of the contract is a column: `… kept by the real claude:`; any other is a row of its own. */
function table(tests) {
  const columnOf = ({ suite }) => /kept by (?:the real )?(.*?):?$/.exec(suite)?.[1];
  const columns = [...new Set(tests.flatMap((test) => columnOf(test) ?? []))];
  if (columns.length === 0)
    return [
      '| what | result |',
      '|---|---|',
      ...tests.map(({ title, status }) => `| ${escaped(title)} | ${word(status)} |`),
    ];
  const rows = new Map();
  for (const test of tests) {
    const { situation, cell } = cellOf(test);
    const row = rows.get(situation) ?? new Map();
    rows.set(situation, row.set(columnOf(test), cell));
  }
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(['situation', ...columns]),
    line(['---', ...columns.map(() => '---')]),
    ...[...rows].map(([situation, row]) =>
      line([escaped(situation), ...columns.map((one) => escaped(row.get(one) ?? '–'))]),
    ),
  ];
}

function cellOf({ title, status }) {
  const not = /^\((.*?): does not apply: (.*)\)$/.exec(title);
  return not === null ? { situation: title, cell: word(status) } : { situation: `(${not[1]})`, cell: not[2] };
}

const word = (status) =>
  ({ passed: 'ok', failed: '**WRONG**', pending: 'skipped', skipped: 'skipped' })[status] ?? status;

const { values } = parseArgs({ options: { out: { type: 'string' }, only: { type: 'string' } } });
const home = mkdtempSync(join(tmpdir(), 'teams-tables-'));
const out = [`# What was tried with real programs on ${new Date().toISOString().slice(0, 10)}`, ''];
let wrong = 0;
try {
  for (const { title, args } of TABLES.filter((one) => one.title.includes(values.only ?? ''))) {
    const begun = performance.now();
    const tests = await tried(args, home);
    const failed = tests.filter(({ status }) => status === 'failed');
    wrong += failed.length;
    const seconds = Math.round((performance.now() - begun) / 1000);
    out.push(
      `## ${title}`,
      '',
      `${tests.length - failed.length} of ${tests.length} in ${seconds} s, load ${loadavg()[0].toFixed(1)}.`,
      '',
    );
    out.push(...table(tests), '');
    for (const one of failed) out.push(`- **${one.suite} ${one.title}**: ${one.why.split('\n', 1)[0]}`);
    if (failed.length > 0) out.push('');
    console.error(`${title}: ${failed.length} wrong of ${tests.length}`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
if (values.out === undefined) console.log(out.join('\n'));
else writeFileSync(values.out, `${out.join('\n')}\n`);
process.exitCode = wrong === 0 ? 0 : 1;
