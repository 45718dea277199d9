/**
 * Tries a packed package as a person meets it: installed with `npm install -g` into an empty prefix, then used in an
 * empty project. Every failure is an Error with what was printed. Needs the registry, for the dependencies and the two
 * linters of packages.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { filesOf, importsOf } from './stage.mjs';

/** Their trees are large (attw brings a compiler of its own), so they are not dependencies of the checkout. */
const LINTERS = [
  { bring: 'publint@0.3.25', argv: (unpacked) => ['publint', unpacked, '--strict', '--pack=false'] },
  {
    bring: '@arethetypeswrong/cli@0.18.5',
    argv: (_unpacked, tarball) => ['attw', tarball, '--profile', 'esm-only', '--no-emoji', '--format', 'ascii'],
  },
];

const PLAN = `name: hello
members:
  - { name: ada, agent: { kind: exec } }
  - { name: bob, agent: { kind: exec } }
tasks:
  - { key: greet, subject: Write the greeting, owner: ada, run: echo hello > hello.txt }
  - { key: check, subject: Check the greeting, blockedBy: [greet], run: grep hello hello.txt }
`;

const LIBRARY = `import { createTeam, UsageError, type Team, type TaskStatus } from 'teams-runtime';
export const open = (): Promise<Team> => createTeam('typed');
export const last: TaskStatus = 'completed';
export const refused = (error: unknown): boolean => error instanceof UsageError;
`;

/**
 * @param {string} tarball the path of the packed package
 * @param {string} root the checkout, for its compiler
 * @returns {{ packages: number, bytes: number }} what an installation adds to the disk
 */
export function tryPackage(tarball, root) {
  const place = mkdtempSync(join(tmpdir(), 'teams-trial-'));
  try {
    const installed = install(tarball, place);
    checkPages(installed);
    checkImports(installed);
    firstMinutes(installed, place);
    library(installed, place, root);
    for (const { bring, argv } of LINTERS)
      run('npm', ['exec', '--yes', `--package=${bring}`, '--', ...argv(installed, tarball)], { cwd: place });
    return sizeOf(join(place, 'prefix'));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function install(tarball, place) {
  const prefix = join(place, 'prefix');
  mkdirSync(prefix);
  const { stdout, stderr } = run('npm', ['install', '--global', '--prefix', prefix, tarball], { cwd: place });
  const warnings = `${stdout}\n${stderr}`.split('\n').filter((line) => /script/i.test(line));
  if (warnings.length > 0) throw new Error(`npm install speaks of scripts:\n${warnings.join('\n')}`);
  return join(prefix, 'lib', 'node_modules', 'teams-runtime');
}

/** What a page leads to or shows is installed, and what `teams init` names. */
function checkPages(installed) {
  const pages = filesOf(installed).filter((file) => file.endsWith('.md') && !file.includes('node_modules'));
  const links = pages.flatMap((page) =>
    [...readFileSync(join(installed, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to]) => [
      page,
      to,
    ]),
  );
  const dead = links.filter(([page, to]) => !existsSync(join(installed, dirname(page), to)));
  if (links.length < 100) throw new Error(`The package has only ${links.length} links in its pages.`);
  if (dead.length > 0) throw new Error(`Not in the package: ${dead.map((link) => link.join(' → ')).join(', ')}.`);
  if (!links.some(([, to]) => /\.(?:png|webp)$/.test(to))) throw new Error('No page of the package shows a picture.');
  for (const needed of ['schemas/plan.json', 'schemas/config.json', 'schemas/cli/run.json'])
    if (!existsSync(join(installed, needed))) throw new Error(`${needed} is not in the package.`);
}

/** Every package that a file imports is installed, or an optional peer. */
function checkImports(installed) {
  const { peerDependenciesMeta } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const names = filesOf(join(installed, 'dist'))
    .filter((name) => name.endsWith('.d.ts') || /^[^/]+\.js$/.test(name))
    .flatMap((name) => importsOf(readFileSync(join(installed, 'dist', name), 'utf8')))
    .filter((name) => !name.startsWith('.') && !isBuiltin(name));
  const absent = [...new Set(names)].filter(
    (name) => !(name in peerDependenciesMeta) && !existsSync(join(installed, 'node_modules', name)),
  );
  if (absent.length > 0) throw new Error(`The package imports what it does not install: ${absent.join(', ')}.`);
}

/** A home of its own, and of our environment only what programs need. */
function strangerIn(place) {
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const home = join(place, 'home');
  mkdirSync(home, { recursive: true });
  return { HOME: home, LANG, PATH: [join(place, 'prefix', 'bin'), PATH].join(delimiter) };
}

function firstMinutes(installed, place) {
  const project = join(place, 'project');
  mkdirSync(project);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      name: 'first',
      private: true,
      scripts: { test: 'node --version', lint: 'node --check index.js' },
    }),
  );
  writeFileSync(join(project, 'index.js'), '');
  writeFileSync(join(project, 'plan.yaml'), PLAN);
  const env = strangerIn(place);
  const teams = (argv, expected) => {
    const { stdout, stderr } = run('teams', argv, { cwd: project, env });
    const said = `${stdout}${stderr}`;
    if (!said.includes(expected)) throw new Error(`teams ${argv.join(' ')} does not say "${expected}":\n${said}`);
    if (/deprecat|warning/i.test(stderr)) throw new Error(`teams ${argv.join(' ')} warns:\n${stderr}`);
  };
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  teams(['--version'], version);
  teams([], 'teams');
  teams(['--help'], 'doctor');
  teams(['init'], 'teams run');
  teams(['run'], 'TEAM COMPLETE');
  teams(['run', 'plan.yaml'], 'Tasks: 2/2');
  teams(['why', 'hello', '2'], 'Check the greeting');
  teams(['report', 'hello'], 'TEAM COMPLETE');
  teams(['doctor'], 'shakes hands');
  checkSchema(join(project, '.teams', 'config.yaml'));
}

/** A file that can be committed has no path of this machine: a global installation writes no schema into it. */
function checkSchema(configuration) {
  const [, schema] = /\$schema=(\S+)/.exec(readFileSync(configuration, 'utf8')) ?? [];
  if (schema !== undefined) throw new Error(`config.yaml names the schema ${schema}, a path of this machine.`);
}

/** A project that imports the package: it runs, and its types are complete. */
function library(installed, place, root) {
  const user = join(place, 'user');
  mkdirSync(join(user, 'node_modules'), { recursive: true });
  symlinkSync(installed, join(user, 'node_modules', 'teams-runtime'));
  symlinkSync(join(root, 'node_modules', '@types'), join(user, 'node_modules', '@types'));
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(user, 'use.ts'), LIBRARY);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = [
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--strict',
    '--types',
    'node',
    '--skipLibCheck',
    'false',
  ];
  run(process.execPath, [tsc, '--noEmit', ...options, 'use.ts'], { cwd: user });
  const program = `import { createTeam } from 'teams-runtime'; if (typeof createTeam !== 'function') process.exitCode = 1;`;
  run(process.execPath, ['--input-type=module', '-e', program], { cwd: user, env: strangerIn(place) });
}

function sizeOf(prefix) {
  const files = filesOf(prefix).filter((file) => file.startsWith('lib'));
  const bytes = files.reduce((sum, file) => sum + readFileSync(join(prefix, file)).length, 0);
  return {
    packages: files.filter((file) => /node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(file)).length,
    bytes,
  };
}

function run(file, argv, options) {
  const { status, stdout, stderr, error } = spawnSync(file, argv, { ...options, encoding: 'utf8', timeout: 180_000 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${[file, ...argv].join(' ')} exited with ${status}.\n${stdout}${stderr}`);
  return { stdout, stderr };
}
