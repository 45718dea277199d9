/**
 * node scripts/warm-up.mjs NAME — makes the code cache of dist/NAME.cjs and prints its path: runs the bundle in a
 * process of its own, calls its `warmUp()` (what every start does, without effects), and keeps what V8 compiled.
 */
import { hash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

const { cachePath, load } = createRequire(import.meta.url)('../bin/load.cjs');

/** A checksum, then the data; the file has its name only when it is whole. */
function writeCache(path, data) {
  const fresh = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(fresh, Buffer.concat([hash('sha256', data, 'buffer'), data]));
  renameSync(fresh, path);
}

const [name] = process.argv.slice(2);
const { script, exports, bundle } = load(name);
for (const wanted of ['main', 'warmUp'])
  if (typeof exports[wanted] !== 'function') throw new Error(`dist/${name}.cjs does not export ${wanted}().`);
await exports.warmUp();
const path = cachePath(name, bundle);
writeCache(path, script.createCachedData());
process.stdout.write(path);
// What the warm-up opened is of no use to anybody.
process.exit(0);
