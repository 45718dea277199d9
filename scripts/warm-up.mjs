/**
 * node scripts/warm-up.mjs NAME — makes the code cache of dist/NAME.cjs and prints its path: runs the bundle in a
 * process of its own, calls its `warmUp()` (what every start does, without effects), and keeps what V8 compiled.
 */
import { createRequire } from 'node:module';

const { builtCache, load, writeCache } = createRequire(import.meta.url)('../bin/load.cjs');

const [name] = process.argv.slice(2);
const { script, exports, bundle } = load(name);
for (const wanted of ['main', 'warmUp'])
  if (typeof exports[wanted] !== 'function') throw new Error(`dist/${name}.cjs does not export ${wanted}().`);
await exports.warmUp();
const path = builtCache(name, bundle);
writeCache(path, script.createCachedData());
process.stdout.write(path);
// What the warm-up opened is of no use to anybody.
process.exit(0);
