'use strict';
/**
 * Runs dist/<name>.cjs, the text of one function (scripts/build.mjs), from V8's code cache if there is one: our programs are started often, and compiling is most of
 * the cost of a start. A cache belongs to one bundle, Node version and architecture; its name contains all three. V8
 * aborts the process on damaged data, so a checksum comes first. The build leaves a cache in dist/cache; an installed
 * package has none, so its first run keeps one in the user's cache folder. Without a cache the bundle is compiled as
 * usual.
 */
const { hash, randomBytes } = require('node:crypto');
const {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

const DIST = join(__dirname, '..', 'dist');
const CHECKSUM_BYTES = 32;
const OLD_MS = 30 * 24 * 3_600_000;

/**
 * The name of a cache: everything that makes one useless for another bundle or Node. A bundle has one, or one for each
 * of its parts: only what a run of that part uses is compiled in it.
 */
const cacheName = (name, bundle, part) =>
  `${part === undefined ? name : `${name}.${part}`}-${process.version}-${process.arch}-${hash('sha256', bundle).slice(0, 16)}.bin`;

const builtCache = (cache) => join(DIST, 'cache', cache);

/** A HOME that is empty or relative counts as unset: a cloned repository could bring its own cache along. */
function homeDirectory() {
  const { HOME } = process.env;
  return HOME?.startsWith('/') ? HOME : require('node:os').userInfo().homedir;
}

/** `$XDG_CACHE_HOME/teams/code`; throws if the user has no home. */
function keptCache(cache) {
  const given = process.env.XDG_CACHE_HOME;
  const folder = given?.startsWith('/') ? given : join(homeDirectory(), '.cache');
  return join(folder, 'teams', 'code', cache);
}

/** The cached data, or undefined if there is none, it is damaged, or another user may have written it. */
function readCache(pathOf, isTrusted) {
  let file;
  try {
    const path = pathOf();
    if (path.startsWith('/')) file = bytesIn(path, isTrusted);
  } catch {
    return undefined;
  }
  if (file === undefined) return undefined;
  const data = file.subarray(CHECKSUM_BYTES);
  return file.length > CHECKSUM_BYTES && file.subarray(0, CHECKSUM_BYTES).equals(hash('sha256', data, 'buffer'))
    ? data
    : undefined;
}

/** What is read is the file that was looked at. A named pipe in its place is not waited for. */
function bytesIn(path, isTrusted) {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    return stat.isFile() && isTrusted(path, stat) ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/** A cache is code: outside the package it counts only if no other user could write the file or its folder. */
function isOnlyOurs(path, stat) {
  const isOurs = ({ uid, mode }) => uid === process.getuid() && (mode & 0o022) === 0;
  return isOurs(stat) && isOurs(statSync(dirname(path)));
}

/** Node's recursive mkdir never returns where the system makes none below one that is there, as in /proc. */
function makeFolder(path) {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (error.code !== 'EEXIST') throw error;
  }
}

/** Writes a checksum, then the data; the file gets its name only when it is complete. What failed leaves nothing. */
function writeCache(path, data) {
  const fresh = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  makeFolder(dirname(path));
  try {
    writeFileSync(fresh, Buffer.concat([hash('sha256', data, 'buffer'), data]), { mode: 0o600 });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/**
 * Keeps what V8 compiled for the next start, and removes caches older than 30 days. If the folder is not writable,
 * nothing is kept.
 */
function keep(cache, script) {
  try {
    const path = keptCache(cache);
    if (!path.startsWith('/')) return;
    writeCache(
      path,
      withOwnSettings(() => script.createCachedData()),
    );
    const folder = dirname(path);
    for (const file of readdirSync(folder).map((name) => join(folder, name)))
      if (Date.now() - statSync(file).mtimeMs > OLD_MS) rmSync(file);
  } catch {
    // A read-only home, a full disk: the next start compiles again.
  }
}

/**
 * V8 11's own settings, and those of a long process: how many bytes of bytecode a function runs before V8 looks at it
 * again, and how long a function may be to be optimized at the first look.
 */
const SETTINGS = {
  own: '--interrupt-budget=67584 --max-bytecode-size-for-early-opt=81',
  late: '--interrupt-budget=500000 --max-bytecode-size-for-early-opt=0',
};

/** So long after its first work a process has begun. */
const STARTED_MS = 150;
let isLate = false;

const use = (settings) => require('node:v8').setFlagsFromString(settings);

/**
 * Lets V8 optimize only what runs seven times as long as by its own settings, and nothing at its first look. A lead, its
 * teammates and a relay work in short pieces, side by side on few processors: most of what V8 optimizes in them earns
 * nothing (decisions 159 and 174). From V8 12 (Node 22) on there is no `--interrupt-budget`, and V8 complains on stderr
 * of a flag that it does not know.
 */
function optimizeLate() {
  if (isLate || Number.parseInt(process.versions.v8, 10) !== 11) return;
  isLate = true;
  use(SETTINGS.late);
}

/** What a program does when it loads a bundle beside its own. */
let onMore = () => {};

/**
 * As {@link optimizeLate}, but once this process works, which it needs more than its own bundle for. One that waits does
 * nothing worth it: to load `node:v8` takes 4 ms, and 0.1 MB.
 */
function optimizeLateOnceWorking() {
  onMore = () => {
    onMore = () => {};
    setTimeout(optimizeLate, STARTED_MS).unref();
  };
}

/** Calls `work` with V8's own settings: a code cache belongs to the settings under which it was made. */
function withOwnSettings(work) {
  if (!isLate) return work();
  use(SETTINGS.own);
  try {
    return work();
  } finally {
    use(SETTINGS.late);
  }
}

/** Which part of each bundle this process uses, if it is not loaded with a part. */
const parts = new Map();

/** Node's modules that each lead needs. */
const OF_A_LEAD = ['node:child_process', 'node:os', 'node:process', 'node:timers/promises', 'node:tty'];

/**
 * A lead uses what no other verb uses, and the other way round. Node compiles its own modules from a cache only under
 * V8's own settings, so those are loaded before the settings change.
 */
function leads() {
  for (const name of OF_A_LEAD) require(name);
  optimizeLate();
  parts.set('verbs', 'lead');
  parts.set('teams', 'lead');
}

/** Each bundle that runs in this process, by its name. */
const loaded = new Map();

/**
 * @param {string} [part] what the process does with the bundle, if it has a cache for each part
 * @returns {{ script: Script, exports: object, cache: string, isCached: boolean }} a bundle, run once
 */
function load(name, part = parts.get(name)) {
  const known = loaded.get(name);
  if (known) return known;
  const filename = join(DIST, `${name}.cjs`);
  const bundle = readFileSync(filename);
  const cache = cacheName(name, bundle, part);
  const cachedData =
    readCache(
      () => builtCache(cache),
      () => true,
    ) ?? readCache(() => keptCache(cache), isOnlyOurs);
  // esbuild writes ASCII; read as Latin-1 it takes half the memory and needs no decoding.
  // A cache keeps the name that its maker gave, and shows it in stack traces: one without a place is true everywhere.
  const script = withOwnSettings(
    () => new Script(bundle.latin1Slice(), { filename: `teams/dist/${name}.cjs`, cachedData }),
  );
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, filename, DIST, importLazily);
  const one = { script, exports: module.exports, cache, isCached: cachedData !== undefined };
  loaded.set(name, one);
  return one;
}

/** Loads what a bundle does not contain: a chunk of dist/ by its path, or a part of another bundle. */
async function importLazily(path, part) {
  return part === undefined ? import(pathToFileURL(join(DIST, path)).href) : load(path).exports[part]();
}

/** A package of its own bundle, for code that cannot wait. */
importLazily.now = (name) => {
  onMore();
  return load(name).exports;
};

/**
 * Loads a program to run.
 * @returns what its bundle exports
 */
function program(name, part) {
  if (loaded.size === 0)
    process.once('exit', () => {
      for (const { script, cache, isCached } of loaded.values()) if (!isCached) keep(cache, script);
    });
  return load(name, part).exports;
}

module.exports = { program, load, loaded, leads, optimizeLate, optimizeLateOnceWorking, builtCache, writeCache };
