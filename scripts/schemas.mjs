/**
 * node scripts/schemas.mjs [--check] — writes the JSON Schemas of `src/model/config/schemas.ts` to schemas/, and those
 * of `--json` output (`src/surfaces/cli/shapes/`) to schemas/cli/, for editors and other programs. With --check it only
 * reports which files differ from the code.
 */
import { build } from 'esbuild';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TARGET = join(ROOT, 'schemas');

const { outputFiles } = await build({
  absWorkingDir: ROOT,
  stdin: {
    contents: `export { jsonSchemas } from './src/model/config/schemas.ts';
export { cliSchemas, subscriberSchema } from './src/surfaces/cli/shapes/all-shapes.ts';`,
    resolveDir: ROOT,
    sourcefile: 'schemas.js',
  },
  write: false,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
});
const { jsonSchemas, cliSchemas, subscriberSchema } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);
const filesOf = (schemas, folder) =>
  Object.entries(schemas).map(([name, schema]) => [
    join(folder, `${name}.json`),
    `${JSON.stringify(schema, null, 2)}\n`,
  ]);
const wanted = new Map([
  ...filesOf({ ...jsonSchemas(), subscriber: subscriberSchema() }, ''),
  ...filesOf(cliSchemas(), 'cli'),
]);

const found = existsSync(TARGET)
  ? readdirSync(TARGET, { recursive: true }).filter((file) => file.endsWith('.json'))
  : [];
const stale = [...wanted].filter(
  ([file, text]) => !found.includes(file) || readFileSync(join(TARGET, file), 'utf8') !== text,
);
const extra = found.filter((file) => !wanted.has(file));

if (process.argv.includes('--check')) {
  for (const file of [...stale.map(([name]) => name), ...extra])
    console.error(`schemas/${file} is not what the code says: run \`npm run schemas\`.`);
  process.exitCode = stale.length + extra.length > 0 ? 1 : 0;
} else {
  for (const [file, text] of stale) {
    mkdirSync(dirname(join(TARGET, file)), { recursive: true });
    writeFileSync(join(TARGET, file), text);
  }
  for (const file of extra) rmSync(join(TARGET, file));
}
