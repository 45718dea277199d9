/** Imports of the surfaces, from the modules that declare the names. */
import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The only module below the surfaces that they import, and the public one that it re-exports. */
const DOOR = join(ROOT, 'src', 'app.ts');
const SURFACES = join(ROOT, 'src', 'surfaces') + sep;

/**
 * In the bundles a surface imports each name from the module that declares it, not from `app.ts`: a module that is
 * evaluated when a verb needs it evaluates all that it imports, so every verb would evaluate the whole program.
 */
export const directNames = {
  name: 'direct-names',
  setup(bundler) {
    bundler.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = withDirectNames(text, path);
      return contents === text ? undefined : { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** @returns the text of a module, with the imports of a surface from the modules that declare the names */
export function withDirectNames(text, path) {
  if (!path.startsWith(SURFACES)) return text;
  return text.replace(IMPORTED, (statement, names, from) =>
    join(dirname(path), from) === DOOR ? importsOf(names, exportedNames(DOOR)) : statement,
  );
}

const IMPORTED = /^import \{([^}]*)\} from '(\.[^']*)';/gm;
const EXPORTED = /^export (?:\{([^}]*)\}|\*) from '([^']*)';/gm;

/** The values of a list of names; types are gone at run time. */
const valuesOf = (names) =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));

/** @returns name → the file that a module re-exports it from */
function exportedNames(file) {
  const places = new Map();
  for (const [, names, from] of readFileSync(file, 'utf8').matchAll(EXPORTED)) {
    const path = join(dirname(file), from);
    if (names === undefined) for (const [name, place] of exportedNames(path)) places.set(name, place);
    else for (const name of valuesOf(names)) places.set(name, path);
  }
  return places;
}

/** In one line for each line that it replaces, so that places in stack traces stay. */
function importsOf(names, places) {
  const statements = valuesOf(names).map((name) => {
    const place = places.get(name.split(' as ')[0]);
    if (place === undefined) throw new Error(`src/app.ts does not export ${name}.`);
    return `import { ${name} } from ${JSON.stringify(place)};`;
  });
  return statements.join(' ') + '\n'.repeat(names.split('\n').length - 1);
}
