/** Bundles of which a process evaluates only what it uses (lazy-module.mjs). */
import { transform } from 'esbuild';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import * as zod from 'zod';
import { lazyModule } from './lazy-module.mjs';

const PACKAGE = /^import (?!type )(?:(\w+)(?:, )?)?(?:\{([^}]*)\})? from '([^.'][^']*)';/gm;
const ZOD = /^import \* as z from 'zod';/m;

/**
 * @typedef {object} Part one of the bundles of a program
 * @property {string} name
 * @property {string} buildId what the bundles of one build have in common, and no other has
 * @property {(path: string) => string} bundleOf the bundle that a module is in
 * @property {(path: string) => void} onUse is called with each module of another bundle that this one names
 */

/**
 * @param {string} root the package
 * @param {(text: string, path: string) => string} prepare changes the source text of a module first
 * @param {Part} [part]
 * @returns {import('esbuild').Plugin}
 */
export const lateModules = (root, prepare, part) => ({
  name: 'late-modules',
  setup(bundler) {
    const source = join(root, 'src') + sep;
    const used = namesOfPackages(source);
    bundler.onResolve({ filter: /^\.|^[/]/ }, ({ path, resolveDir }) => {
      const file = path.startsWith('/') ? path : join(resolveDir, path);
      if (!file.startsWith(source)) return undefined;
      const name = relative(root, file);
      if (part === undefined || part.bundleOf(name) === part.name) return { path: name, namespace: 'late' };
      part.onUse(name);
      return { path: name, namespace: 'other-part' };
    });
    bundler.onLoad({ filter: /.*/, namespace: 'other-part' }, ({ path }) => ({
      contents: `module.exports = importLazily.now(${JSON.stringify(part?.bundleOf(path))}).part(${JSON.stringify(path)}, ${JSON.stringify(part?.buildId)});`,
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'late' }, async ({ path }) => {
      // What it does is done where zod is loaded.
      if (path === 'src/model/text/interpreted-schemas.ts') return { contents: '' };
      const file = join(root, path);
      const { code } = await transform(prepare(readFileSync(file, 'utf8'), file), {
        loader: 'ts',
        format: 'esm',
        target: 'node20.19',
        define: bundler.initialOptions.define,
      });
      return { contents: lazyModule(code, path), resolveDir: dirname(file) };
    });
    bundler.onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
      kind === 'require-call' && !path.startsWith('node:') && used.has(path) ? { path, namespace: 'names' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'names' }, ({ path }) => ({
      contents: path === 'zod' ? "module.exports = importLazily.now('zod');" : namesOf(path, used.get(path)),
      resolveDir: root,
    }));
  },
});

/**
 * @returns the text of a module whose `part` evaluates one of these modules by its path. It refuses a process that has
 *   the other bundles from another build: the package was replaced since it started
 */
export const partText = (paths, buildId) => {
  const cases = [...paths].map(
    (path) => `case ${JSON.stringify(path)}: return require(${JSON.stringify(`./${path}`)});`,
  );
  return `exports.part = (path, buildId) => {
  if (buildId !== ${JSON.stringify(buildId)}) throw new Error('teams was replaced by another version while this process ran.');
  switch (path) { ${cases.join('\n')} }
};`;
};

/** @returns a module that exports names of a package */
const namesOf = (path, names) =>
  `${path === 'zod' ? INTERPRETED : ''}export { ${[...names].join(', ')} } from '${path}';`;

/** @returns the text of a module with all of zod that src/ uses */
export const zodNames = (root) => namesOf('zod', namesOfPackages(join(root, 'src') + sep).get('zod'));

/** As src/model/text/interpreted-schemas.ts, which cannot be first where modules are evaluated late. */
const INTERPRETED = `import { config } from 'zod'; config({ jitless: true });\n`;

/** Most of `z.infer` and its like are types; of `z.core` we use only types, and it is everything. */
const isValueOfZod = (name) => name !== 'core' && name in zod;

/** @returns {Map<string, Set<string>>} the names that src/ uses of each package, so that the rest is left out */
function namesOfPackages(source) {
  const used = new Map();
  const add = (path, names) => used.set(path, new Set([...(used.get(path) ?? []), ...names]));
  for (const name of readdirSync(source, { recursive: true }).filter((path) => path.endsWith('.ts'))) {
    const text = readFileSync(join(source, name), 'utf8');
    for (const [, whole, names = '', path] of text.matchAll(PACKAGE)) {
      const values = names.split(',').map((one) => one.trim().split(' as ')[0]);
      add(path, [...(whole ? ['default'] : []), ...values.filter((one) => one !== '' && !one.startsWith('type '))]);
    }
    if (ZOD.test(text)) add('zod', [...text.matchAll(/\bz\.(\w+)/g)].map(([, one]) => one).filter(isValueOfZod));
  }
  return used;
}
