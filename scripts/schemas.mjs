/**
 * node scripts/schemas.mjs [--check] — writes the JSON Schemas of `src/model/config/schemas.ts` to schemas/, for editors and other
 * programs; with --check it only says which are not what the code says now.
 */
import { build } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = join(ROOT, 'schemas');

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  entryPoints: ['src/model/config/schemas.ts'],
  write: false,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
});
const { jsonSchemas } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);
const wanted = new Map(
  Object.entries(jsonSchemas()).map(([name, schema]) => [`${name}.json`, `${JSON.stringify(schema, null, 2)}\n`]),
);

const found = existsSync(TARGET) ? readdirSync(TARGET) : [];
const stale = [...wanted].filter(
  ([file, text]) => !found.includes(file) || readFileSync(join(TARGET, file), 'utf8') !== text,
);
const extra = found.filter((file) => !wanted.has(file));

if (process.argv.includes('--check')) {
  for (const file of [...stale.map(([name]) => name), ...extra])
    console.error(`schemas/${file} is not what the code says: run \`npm run schemas\`.`);
  process.exitCode = stale.length + extra.length > 0 ? 1 : 0;
} else {
  mkdirSync(TARGET, { recursive: true });
  for (const [file, text] of stale) writeFileSync(join(TARGET, file), text);
  for (const file of extra) rmSync(join(TARGET, file));
}
