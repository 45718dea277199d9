/** What of the package is what: a table by kind, in docs/package.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { filesOf } from './stage.mjs';

/** The first kind whose pattern a path matches is its kind. */
const KINDS = [
  ['command line: all verbs, MCP server, page’s server', /^(?:dist\/(?:teams|verbs)\.cjs|bin\/)/],
  ['command line: frequent verbs', /^dist\/frequent\.cjs/],
  ['process of a member', /^dist\/teammate(?:-commands|-rest)?\.cjs/],
  ['reaper', /^dist\/reaper\.cjs/],
  ['terminal view (Ink, React, Yoga)', /^dist\/watch\//],
  ['page in the browser', /^dist\/web\//],
  ['declarations of the library', /^dist\/types\//],
  ['library, kinds of agents with their SDKs', /^dist\/(?:[^/]+\.js|(?:chunks|agents|programs|loop)\/)/],
  ['schemas, YAML and glob parsers', /^dist\/(?:zod|yaml|picomatch)\.cjs/],
  ['roles, pipelines, templates', /^dist\/shipped\//],
  ['JSON schemas', /^schemas\//],
  ['pictures of the documentation', /^docs\/.*\.(?:png|webp|svg)$/],
  ['documentation, licence, manifest', /^(?:docs\/|[^/]+$)/],
  ['examples', /^\.teams-example\//],
];

/** @returns {{ kind: string, files: number, bytes: number, packed: number }[]} one row for each kind, the largest first */
export function weighPackage(stage) {
  const rows = new Map(KINDS.map(([kind]) => [kind, { kind, files: 0, bytes: 0, packed: 0 }]));
  for (const file of filesOf(stage)) {
    const [kind] = KINDS.find(([, pattern]) => pattern.test(file)) ?? [];
    if (kind === undefined) throw new Error(`${file} has no kind: name it in scripts/package/weight.mjs.`);
    const row = rows.get(kind);
    const contents = readFileSync(join(stage, file));
    row.files += 1;
    row.bytes += contents.length;
    row.packed += gzipSync(contents).length;
  }
  return [...rows.values()].toSorted((a, b) => b.packed - a.packed);
}

const MARKS = /(<!-- written by npm run pack -->\n)[\s\S]*(<!-- end -->)/;

/** Two digits: a small change of the source is no change of the page. */
const kilobytes = (bytes) => {
  const kB = Math.max(1, bytes / 1_000);
  return Number(kB.toPrecision(2)).toLocaleString('en-US');
};

/** @param {{ packages: number, bytes: number }} installed what the package and its dependencies take on a disk */
export function writeWeight(page, rows, installed) {
  const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
  const line = ({ kind, files, bytes, packed }) =>
    `| ${kind} | ${files} | ${kilobytes(bytes)} | ${kilobytes(packed)} |`;
  const all = { kind: '**all**', files: sum('files'), bytes: sum('bytes'), packed: sum('packed') };
  const table = ['| what | files | kB | kB, compressed |', '|---|---|---|---|', ...rows.map(line), line(all)];
  const whole = `Installed with its dependencies: ${installed.packages} packages, ${kilobytes(installed.bytes)} kB.`;
  const text = readFileSync(page, 'utf8');
  if (!MARKS.test(text)) throw new Error(`${page} has no place for the table.`);
  const next = text.replace(MARKS, (_, begin, end) => `${begin}\n${table.join('\n')}\n\n${whole}\n\n${end}`);
  if (next !== text) writeFileSync(page, next);
}
