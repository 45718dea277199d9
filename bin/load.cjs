'use strict';
/**
 * Runs dist/<name>.cjs, from V8's code cache where there is one: a teammate is started often, and compiling is most
 * of what a start costs. The cache belongs to one bundle, Node version and architecture, all in its name; V8 aborts
 * the process on damaged data, so a checksum stands in front. Without a usable cache the bundle is compiled as usual.
 */
const { hash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

const DIST = join(__dirname, '..', 'dist');
const CHECKSUM_BYTES = 32;

const cachePath = (name, bundle) =>
  join(DIST, 'cache', `${name}-${process.version}-${process.arch}-${hash('sha256', bundle).slice(0, 16)}.bin`);

/** The cached data, or undefined if there is none for this bundle or it is damaged. */
function readCache(name, bundle) {
  let file;
  try {
    file = readFileSync(cachePath(name, bundle));
  } catch {
    return undefined; // This Node was never warmed up.
  }
  const data = file.subarray(CHECKSUM_BYTES);
  return file.length > CHECKSUM_BYTES && file.subarray(0, CHECKSUM_BYTES).equals(hash('sha256', data, 'buffer'))
    ? data
    : undefined;
}

/** What a bundle calls for a chunk it does not contain; `path` is relative to dist/. */
const importLazily = (path) => import(pathToFileURL(join(DIST, path)).href);

/** @returns {{ script: Script, exports: object, bundle: Buffer }} the bundle, run, and what it exports */
function load(name) {
  const filename = join(DIST, `${name}.cjs`);
  const bundle = readFileSync(filename);
  const head = '(function (exports, require, module, __filename, __dirname, importLazily) {';
  // esbuild writes ASCII; as such it takes half the memory and no decoding.
  const script = new Script(`${head}${bundle.latin1Slice()}\n})`, { filename, cachedData: readCache(name, bundle) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, filename, DIST, importLazily);
  return { script, exports: module.exports, bundle };
}

module.exports = { load, cachePath };
