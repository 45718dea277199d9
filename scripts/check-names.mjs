/**
 * node scripts/check-names.mjs [DIR] — fails when an exported type name (interface, type, class, enum) is declared in
 * more than one place below DIR (default: src/), and lists the places. A re-export does not count as a declaration.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const [directory = join(ROOT, 'src')] = process.argv.slice(2);

const files = readdirSync(resolve(directory), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();

const places = new Map();
for (const file of files) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  for (const { name, start } of exportedTypes(source)) {
    const { line } = source.getLineAndCharacterOfPosition(start);
    places.set(name, [...(places.get(name) ?? []), `${relative(process.cwd(), file)}:${line + 1}`]);
  }
}

// Two declarations of one name in one file are an overload or a merge, which the compiler checks.
const repeated = [...places].filter(([, where]) => new Set(where.map(fileOf)).size > 1);
for (const [name, where] of repeated)
  console.error(`The exported type ${name} is declared ${where.length} times: ${where.join(', ')}.`);
process.exitCode = repeated.length > 0 ? 1 : 0;

function exportedTypes(source) {
  const listed = new Set(source.statements.flatMap(localExports));
  return source.statements
    .filter((statement) => isType(statement) && statement.name !== undefined)
    .map((statement) => ({ name: statement.name.text, start: statement.name.getStart(source), statement }))
    .filter(({ name, statement }) => listed.has(name) || isExported(statement));
}

/** The names in `export { a, b as c }` without `from`: declared here and exported in a list. */
function localExports(statement) {
  if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) return [];
  const { exportClause } = statement;
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map((element) => (element.propertyName ?? element.name).text);
}

function isType(statement) {
  return (
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isEnumDeclaration(statement)
  );
}

function isExported(statement) {
  return (statement.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function fileOf(place) {
  return place.slice(0, place.lastIndexOf(':'));
}
