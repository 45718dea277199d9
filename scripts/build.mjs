/**
 * Builds dist/ from src/. The library is ESM split into shared chunks; the command line, the teammate and the reaper,
 * which are started many times, are one CommonJS file each with a V8 code cache beside it.
 * `--types` adds the declarations (tsc, seconds; only `prepare` needs them).
 *
 * A file is replaced by rename, and only if it changed, so a process that starts during a build never sees half of one.
 */
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { directNames, withDirectNames } from './build/direct-names.mjs';
import { lateModules, partText, zodNames } from './build/late-modules.mjs';
import { LATE_PACKAGES, latePackages } from './build/late-packages.mjs';
import { makeTemporaryFolder } from './build/temporary-folder.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const TEAMMATE_MODULES = JSON.parse(readFileSync(join(ROOT, 'scripts', 'build', 'teammate-modules.json'), 'utf8'));
const AGENTS = join(ROOT, 'src', 'agents');
const SHIPPED = join(ROOT, 'src', 'shipped');

const MODULES = {
  index: 'src/index.ts',
  subagent: 'src/runtime/tools/subagent-worker.ts',
  scan: 'src/runtime/agents/scan-worker.ts',
};
const PROCESSES = {
  teams: 'src/surfaces/cli/teams-main.ts',
  teammate: 'src/runtime/teammate/teammate-main.ts',
  reaper: 'src/os/reaper-main.ts',
};

/** The verbs that are called all the time: compiled for programs that run once and end. */
const FREQUENT = 'src/surfaces/cli/frequent-main.ts';

/** The web page: a program for a browser, and the files around it. */
const PAGE = join(ROOT, 'src', 'surfaces', 'web', 'page');
const PAGE_FILES = ['index.html', 'icon.svg'];

/**
 * The agents inside a process's own file; any other, with the libraries it needs, is a chunk that is loaded when it is
 * used.
 */
const SMALL_AGENTS = new Set(['agent-registry', 'exec']);
/** A teammate's file has those that need no library, too: a chunk is an ES module, which has no code cache, with a copy of zod. */
const TEAMMATE_AGENTS = new Set([...SMALL_AGENTS, 'claude', 'codex']);
const AGENT_FOLDERS = new Set([AGENTS, join(AGENTS, 'programs'), join(AGENTS, 'loop')]);

/**
 * The terminal view is such a chunk too: its library is an ES module with a top-level await, which CommonJS does not
 * allow.
 */
const DRAWING = join(ROOT, 'src', 'surfaces', 'terminal', 'watch', 'watch-session.ts');

const COMMON = {
  absWorkingDir: ROOT,
  outdir: DIST,
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node20.19',
  // piscina starts its worker threads from files of its own package. OpenTelemetry's libraries and the client of
  // PostgreSQL are the user's own, if installed.
  external: ['piscina', '@opentelemetry/*', 'pg'],
  // graceful-fs, which proper-lockfile uses, costs a tenth of a start and patches `fs.close`, for a queue of open files
  // that a lease does not need.
  alias: { 'graceful-fs': 'node:fs' },
  logLevel: 'warning',
};

/** Names stay, for stack traces. Minifying halves the text, which every start reads. */
const SMALL = { minifyWhitespace: true, minifySyntax: true };

/** Bundled CommonJS packages call `require` for Node's own modules, which an ES module does not have. */
const REQUIRE_IN_ESM = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);`;

/**
 * What bin/load.cjs runs is a function of these, and nothing but its text: a text that the loader would put together is in
 * memory twice. CommonJS has no `import.meta`; a module that needs its own path gets the bundle's.
 */
const FUNCTION = '(function (exports, require, module, __filename, __dirname, importLazily) {';

/**
 * What the command line loads once it knows its verb: a second bundle, so that help and shell completion need not read
 * it.
 */
const CLI = join(ROOT, 'src', 'surfaces', 'cli');
const DOORS = new Set([CLI, join(CLI, 'verbs')]);

/**
 * An `import()` of a large part inside a CommonJS bundle is resolved when it is reached, for example to
 * `dist/programs/<kind>.js`. V8 loses the origin of an `import()` when code comes from a cache, so the loader passes in
 * `importLazily` (bin/load.cjs). The module in its place is a thenable of the real one: esbuild resolves to it, and
 * `await` unwraps it.
 * @param {Map<string, string>} chunks receives entry name → source file for each part
 * @param {Set<string>} [verbs] receives the source files of the second bundle; without it they are parts of this one
 * @param {Set<string>} [own] the names of the agents inside the bundle
 */
const lazyParts = (chunks, verbs, own = SMALL_AGENTS) => ({
  name: 'lazy-parts',
  setup(bundler) {
    bundler.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const file = join(resolveDir, path);
      const name = basename(file).replace(/\.tsx?$/, '');
      if (verbs !== undefined && DOORS.has(resolveDir)) {
        verbs.add(file);
        return { path: relative(ROOT, file), namespace: 'lazy-verb' };
      }
      const isAgent = AGENT_FOLDERS.has(dirname(file)) && !own.has(name);
      if (!isAgent && file !== DRAWING) return undefined;
      const chunk = `${basename(dirname(file))}/${name}`;
      chunks.set(chunk, file);
      return { path: `./${chunk}.js`, namespace: 'lazy-part' };
    });
    const promiseOf = (...argv) => ({
      contents: `exports.then = (resolve, reject) => importLazily(${argv.map((one) => JSON.stringify(one))}).then(resolve, reject);`,
    });
    bundler.onLoad({ filter: /.*/, namespace: 'lazy-part' }, ({ path }) => promiseOf(path));
    bundler.onLoad({ filter: /.*/, namespace: 'lazy-verb' }, ({ path }) => promiseOf('verbs', path));
  },
});

/** What the tables of verbs import is no part of the frequent verbs, which name their parts themselves. */
const unusedTables = {
  name: 'unused-tables',
  setup(bundler) {
    bundler.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' && resolveDir === join(CLI, 'verbs') && !path.endsWith('/task-acts.ts')
        ? { path, namespace: 'unused' }
        : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: '' }));
  },
};

/**
 * Packages that are loaded late import the whole of zod. Without this, its fifty unused languages would be part of what
 * every start reads.
 */
const oneLanguage = {
  name: 'one-language',
  setup(bundler) {
    bundler.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer, path, resolveDir }) =>
      importer.includes('/zod/v4/')
        ? { path: relative(ROOT, join(resolveDir, path)), namespace: 'one-language' }
        : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'one-language' }, ({ path }) => ({
      contents: `export { default as en } from './en.js';`,
      resolveDir: join(ROOT, dirname(path)),
    }));
  },
};

async function bundleProcesses(chunks) {
  const verbs = new Set();
  const options = {
    ...COMMON,
    ...SMALL,
    format: 'cjs',
    plugins: [lazyParts(chunks, verbs), oneLanguage, directNames, latePackages],
    define: { 'import.meta.filename': '__filename' },
    supported: { 'dynamic-import': false },
    banner: { js: FUNCTION },
    footer: { js: '})' },
  };
  const { reaper, teams } = PROCESSES;
  const first = await build({ ...options, outExtension: { '.js': '.cjs' }, entryPoints: { teams } });
  const parts = [...verbs].map(
    (file) => `exports[${JSON.stringify(relative(ROOT, file))}] = () => import(${JSON.stringify(file)});`,
  );
  const second = await build({
    ...options,
    plugins: [lazyParts(chunks), oneLanguage, lateModules(ROOT, withDirectNames), latePackages],
    outdir: undefined,
    outfile: join(DIST, 'verbs.cjs'),
    stdin: { contents: parts.join('\n'), resolveDir: ROOT, sourcefile: 'verbs.js' },
  });
  const frequent = await build({
    ...options,
    plugins: [lazyParts(chunks), unusedTables, oneLanguage, lateModules(ROOT, withDirectNames), latePackages],
    outExtension: { '.js': '.cjs' },
    entryPoints: { frequent: FREQUENT, reaper },
  });
  const working = await bundleTeammate(options, chunks);
  // Most teammates and frequent verbs make no schema (docs/decisions/158, 166).
  const zod = await build({
    ...options,
    plugins: [oneLanguage],
    outdir: undefined,
    outfile: join(DIST, 'zod.cjs'),
    stdin: { contents: zodNames(ROOT), resolveDir: ROOT, sourcefile: 'zod-names.js' },
  });
  const late = await build({
    ...options,
    plugins: [],
    outExtension: { '.js': '.cjs' },
    entryPoints: LATE_PACKAGES,
  });
  return [first, second, frequent, ...working, zod, late].flatMap(({ outputFiles }) => outputFiles);
}

/**
 * A teammate is three bundles: what one uses that waits, what it uses beyond that to run commands, and all else
 * (scripts/teammate-modules.mjs). Each is loaded at the first use of one of its modules.
 */
async function bundleTeammate(options, chunks) {
  const bundles = new Map(
    Object.entries(TEAMMATE_MODULES).flatMap(([name, paths]) => paths.map((path) => [path, name])),
  );
  const rest = new Set();
  const buildId = sourceHash();
  const bundleOf = (path) => bundles.get(path) ?? 'teammate-rest';
  const onUse = (path) => bundles.has(path) || rest.add(path);
  const partOf = (name, contents) =>
    build({
      ...options,
      plugins: [
        lazyParts(chunks, undefined, TEAMMATE_AGENTS),
        unusedTables,
        oneLanguage,
        lateModules(ROOT, withDirectNames, { name, buildId, bundleOf, onUse }),
        latePackages,
      ],
      outdir: undefined,
      outfile: join(DIST, `${name}.cjs`),
      stdin: { contents, resolveDir: ROOT, sourcefile: `${name}.js` },
    });
  const main = `exports.main = require('./${PROCESSES.teammate}').main;\n`;
  const { teammate, 'teammate-commands': commands } = TEAMMATE_MODULES;
  const first = await partOf('teammate', main + partText(teammate, buildId));
  const second = await partOf('teammate-commands', partText(commands, buildId));
  return [first, second, await partOf('teammate-rest', partText([...rest].toSorted(), buildId))];
}

/** Of all that the bundles are made of: bundles with the same one belong together. */
function sourceHash() {
  const hash = createHash('sha256');
  const sources = [join(ROOT, 'src'), join(ROOT, 'scripts', 'build')].flatMap(filesUnder).toSorted();
  for (const path of [...sources, join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)])
    hash.update(`${relative(ROOT, path)}\n`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

async function bundleModules(lazy) {
  const entryPoints = { ...MODULES, ...Object.fromEntries(lazy) };
  const options = { format: 'esm', splitting: true, chunkNames: 'chunks/[name]-[hash]', plugins: [oneLanguage] };
  // React's development build, and what ink imports when DEV is set, are in no package of ours.
  const define = { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' };
  const external = [...COMMON.external, './devtools.js'];
  // Node prints the line of an error that a program does not catch.
  const lines = { lineLimit: 200 };
  const banner = { js: REQUIRE_IN_ESM };
  return build({ ...COMMON, ...options, ...SMALL, ...lines, define, external, entryPoints, banner });
}

async function bundlePage() {
  const options = { bundle: true, write: false, minify: true, format: 'esm', platform: 'browser', target: 'es2022' };
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: ROOT,
    entryPoints: { page: join(PAGE, 'main.tsx') },
    outdir: join(DIST, 'web'),
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  });
  const files = PAGE_FILES.map((name) => ({ path: join(DIST, 'web', name), contents: readFileSync(join(PAGE, name)) }));
  return [...outputFiles, ...files];
}

function requireEntries() {
  const missing = [...Object.values(MODULES), ...Object.values(PROCESSES)].filter(
    (path) => !existsSync(join(ROOT, path)),
  );
  if (missing.length > 0) throw new Error(`These entries of the build do not exist: ${missing.join(', ')}.`);
}

function replaceFile(path, contents, mode = 0o666) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}.tmp`;
  writeFileSync(fresh, contents, { mode });
  renameSync(fresh, path);
}

const filesUnder = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .map((name) => join(folder, name))
        .filter((path) => statSync(path).isFile())
    : [];

/** Runs one of our Node programs and returns what it printed; its stderr goes straight to the terminal. */
async function runNode(file, argv, options = {}) {
  const child = spawn(process.execPath, [resolve(ROOT, file), ...argv], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
  const [printed, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (status !== 0) throw new Error(`node ${[file, ...argv].join(' ')} failed.\n${printed}`);
  return printed;
}

/** @returns the paths of the caches that it made */
const warmUp = async (folder, ...argv) =>
  (await runNode('scripts/warm-up.mjs', argv, { env: { ...process.env, TMPDIR: folder } })).split('\n');

/** What a run of the warm-up has to do: several members and tasks, output, and a task that waits for another. */
const WARM_PLAN = `
name: warm
members:
  - { name: ada, agent: { kind: exec } }
  - { name: bob, agent: { kind: exec } }
tasks:
  - { key: one, subject: One, run: 'true' }
  - { key: two, subject: Two, run: echo two }
  - { key: three, subject: Three, run: 'true', blockedBy: [one] }
  - { key: four, subject: Four, run: 'true' }
  - { key: five, subject: Five, run: 'true' }
  - { key: six, subject: Six, run: 'true' }
`;

/**
 * The caches of a lead and a teammate are those that a real run keeps, from a copy of the package that has none yet: what
 * they do in a run is more than any list here would name.
 *
 * @returns the paths of the caches that it made
 */
async function warmUpRun(folder) {
  const place = join(folder, 'run');
  cpSync(join(ROOT, 'bin'), join(place, 'package', 'bin'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(place, 'package', 'package.json'));
  for (const name of readdirSync(DIST).filter((one) => one.endsWith('.cjs')))
    cpSync(join(DIST, name), join(place, 'package', 'dist', name));
  writeFileSync(join(place, 'plan.yaml'), WARM_PLAN);
  const env = { PATH: process.env.PATH, HOME: place, TMPDIR: folder };
  await runNode(join(place, 'package', 'bin', 'teams.js'), ['run', 'plan.yaml'], {
    cwd: place,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const code = join(place, '.cache', 'teams', 'code');
  const kept = readdirSync(code).filter((name) => /^(?:teammate(?:-commands)?|\w+[.]lead)-v/.test(name));
  if (kept.length !== 4) throw new Error(`The run of the warm-up kept ${kept.join(', ') || 'no code'}.`);
  for (const name of kept) replaceFile(join(DIST, 'cache', name), readFileSync(join(code, name)), 0o600);
  return kept.map((name) => join(DIST, 'cache', name));
}

/** Where no run is possible, as in a sandbox without `/proc`, the program is whole without its caches: its first run keeps them. */
const warmUpRunIfItCan = (folder) =>
  warmUpRun(folder).catch((error) => {
    console.error(`No code cache of a run was made, so the first one starts more slowly: ${error.message}`);
    return [];
  });

/** Each first word of a frequent verb has a cache of its own; they are made with those of all verbs. */
async function warmUpFrequent(folder) {
  const { frequentVerbs } = createRequire(import.meta.url)('../bin/load.cjs').load('frequent').exports;
  const caches = [];
  for (const word of new Set(frequentVerbs().map(({ name }) => name.split(' ')[0])))
    caches.push(...(await warmUp(folder, 'frequent', word)));
  return caches;
}

/** Without a place for temporary files the program is whole, too: it keeps its caches itself. */
async function makeCaches() {
  const { folder, reason } = makeTemporaryFolder();
  if (folder === undefined) {
    console.error(
      `No code caches were made, so first starts are slower: no temporary folder can be made (${reason}). Set TMPDIR to a folder that can be written, then \`npm run build\`.`,
    );
    return [];
  }
  try {
    const first = await Promise.all([warmUp(folder, 'teams'), warmUp(folder, 'reaper'), warmUpRunIfItCan(folder)]);
    return [...first.flat(), ...(await warmUpFrequent(folder))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function emitTypes() {
  rmSync(join(DIST, 'types'), { recursive: true, force: true });
  await runNode('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.build.json']);
}

/** Roles, pipelines and templates are data: they are copied unchanged. */
function copyShipped() {
  return filesUnder(SHIPPED).map((path) => {
    const target = join(DIST, 'shipped', relative(SHIPPED, path));
    replaceFile(target, readFileSync(path));
    return target;
  });
}

/** Chunk and cache names contain hashes: a file that this build did not make is from an older build. */
function sweep(made) {
  const kept = new Set(made);
  const isStale = (path) => !kept.has(path) && !path.startsWith(join(DIST, 'types') + sep);
  for (const path of filesUnder(DIST).filter(isStale)) rmSync(path, { force: true });
}

async function main() {
  requireEntries();
  const lazy = new Map();
  const processes = await bundleProcesses(lazy);
  const modules = await bundleModules(lazy);
  const page = await bundlePage();
  const outputs = [...modules.outputFiles, ...processes, ...page];
  for (const { path, contents } of outputs) replaceFile(path, Buffer.from(contents));
  const caches = await makeCaches();
  sweep([...outputs.map(({ path }) => path), ...caches, ...copyShipped()]);
  if (process.argv.includes('--types')) await emitTypes();
}

await main().catch((error) => {
  // esbuild has already printed its own errors, with their places.
  if (!('errors' in error)) console.error(error.message);
  process.exitCode = 1;
});
