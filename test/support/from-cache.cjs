'use strict';
/**
 * Runs a bundled program of the fixtures from V8's code cache, as the product's own processes do (bin/load.cjs):
 * compiling is most of the time of a start. The first program that ends in order leaves the cache for the later ones.
 */
const { readFileSync, renameSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { Script } = require('node:vm');

/** @returns {Buffer | undefined} the cache, if there is one */
function readCache(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // No program has ended yet.
  }
}

/** @param {string} path of the bundle, which is CommonJS */
module.exports = function runFromCache(path) {
  const cache = `${path}.cache`;
  const cachedData = readCache(cache);
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(path, 'utf8')}\n})`;
  const script = new Script(text, { filename: path, cachedData });
  if (cachedData === undefined)
    process.once('exit', () => {
      const fresh = `${cache}.${process.pid}`;
      writeFileSync(fresh, script.createCachedData());
      renameSync(fresh, cache);
    });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, path, dirname(path));
};
