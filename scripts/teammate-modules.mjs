/**
 * node scripts/teammate-modules.mjs: writes scripts/build/teammate-modules.json, the modules of src/ that a teammate
 * evaluates when it waits, and those that it evaluates beyond that when it runs commands. They are two bundles; the rest
 * of what a teammate can do is a third one (docs/decisions/168-the-memory-of-a-teammate.md). It needs a build, of which it runs a copy that notes each
 * module. Call it when test/bin/start.test.ts says that such a teammate loads the rest.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIST = join(ROOT, 'scripts', 'build', 'teammate-modules.json');
const MAIN = 'src/runtime/teammate/teammate-main.ts';
const ROUNDS = 9;

const member = (name) => `{ name: ${name}, agent: { kind: exec } }`;
const short = (count) => Array.from({ length: count }, (_, n) => `  - { key: t${n}, subject: Short, run: 'true' }`);

/**
 * Of the first, `idle` has nothing to do for longer than it takes to rest; others end together, wait for each other, or
 * fail. In the second a member that waits is woken by another one.
 */
const PLANS = [
  `
name: long
members: [${['idle', 'ada'].map(member).join(', ')}]
tasks:
  - { key: slow, subject: Slow, run: sleep 13, owner: ada }
  - { key: after, subject: After, run: echo after, owner: ada, blockedBy: [slow] }
  - { key: fails, subject: Fails, run: 'false', owner: ada, required: false }
`,
  `
name: short
members: [${['ada', 'bob'].map(member).join(', ')}]
tasks:
  - { key: one, subject: One, run: 'true' }
  - { key: two, subject: Two, run: 'true', blockedBy: [one] }
${short(4).join('\n')}
`,
  `
name: many
members: [${['ada', 'bob', 'cy', 'dee'].map(member).join(', ')}]
tasks:
  - { key: fails, subject: Fails, run: 'false', required: false }
${short(30).join('\n')}
`,
];

const HELPER = '__commonJS=(cb,mod)=>function(){try{return mod||';

/** Lets a bundle note each module that it evaluates. */
function noteModules(path) {
  const text = readFileSync(path, 'latin1');
  if (!text.includes(HELPER)) throw new Error(`${path} has no modules that are evaluated late: build first.`);
  const note = '(globalThis.evaluated??=new Set()).add(__getOwnPropNames(cb)[0]),mod||';
  writeFileSync(path, text.replace(HELPER, `${HELPER.slice(0, -'mod||'.length)}${note}`), 'latin1');
}

function evaluatedIn(place) {
  const notes = join(place, 'notes');
  mkdirSync(notes);
  cpSync(join(ROOT, 'package.json'), join(place, 'package.json'));
  cpSync(join(ROOT, 'bin'), join(place, 'bin'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'dist')).filter((one) => one.endsWith('.cjs')))
    cpSync(join(ROOT, 'dist', name), join(place, 'dist', name));
  for (const name of ['teammate', 'teammate-commands', 'teammate-rest'])
    noteModules(join(place, 'dist', `${name}.cjs`));
  const program = join(place, 'bin', 'teammate.cjs');
  const note = `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(`${notes}/`)} + process.argv[4] + process.pid, [...globalThis.evaluated].join('\\n')));`;
  writeFileSync(program, readFileSync(program, 'utf8').replace("'use strict';", `'use strict';${note}`));
  for (let round = 0; round < ROUNDS; round += 1) {
    const cwd = join(place, `round-${round}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'plan.yaml'), PLANS[round % PLANS.length]);
    const env = { PATH: process.env.PATH, HOME: place };
    spawnSync(process.execPath, [join(place, 'bin', 'teams.js'), 'run', 'plan.yaml', '--quiet'], { cwd, env });
  }
  return (isWanted) =>
    readdirSync(notes)
      .filter(isWanted)
      .flatMap((name) => readFileSync(join(notes, name), 'utf8').split('\n'))
      .filter((name) => name.startsWith('late:src/'))
      .map((name) => name.slice('late:'.length));
}

/** What an earlier call found stays: who meets a lock that is held, say, is a matter of luck. Without the file it begins anew. */
const before = existsSync(LIST) ? JSON.parse(readFileSync(LIST, 'utf8')) : {};

const listed = (name, found, other = []) =>
  [...new Set([...(before[name] ?? []), ...found])]
    .filter((path) => existsSync(join(ROOT, path)) && !other.includes(path))
    .toSorted();

const place = mkdtempSync(join(tmpdir(), 'teams-modules-'));
try {
  const evaluated = evaluatedIn(place);
  const teammate = listed('teammate', [MAIN, ...evaluated((name) => name.startsWith('idle'))]);
  const commands = listed(
    'teammate-commands',
    evaluated(() => true),
    teammate,
  );
  writeFileSync(LIST, `${JSON.stringify({ teammate, 'teammate-commands': commands }, null, 2)}\n`);
  console.log(
    `A teammate that waits evaluates ${teammate.length} modules, one that runs commands ${commands.length} more.`,
  );
} finally {
  rmSync(place, { recursive: true, force: true });
}
