/** Packages that are bundles of their own. */
import { createRequire } from 'node:module';

/** Packages that few starts need: each is a bundle of its own, loaded at the first use of one of its names. */
export const LATE_PACKAGES = ['yaml', 'picomatch'];

export const latePackages = {
  name: 'late-packages',
  setup(bundler) {
    // signal-exit asks once whether it was given a function; Node's module for that takes 0.1 MB of each process.
    bundler.onResolve({ filter: /^assert$/ }, ({ importer }) =>
      /[/]signal-exit[/]/.test(importer) ? { path: 'assert', namespace: 'one-assertion' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'one-assertion' }, () => ({
      contents: 'exports.equal = (one, other, message) => { if (one !== other) throw new TypeError(message); };',
    }));
    const isLate = new RegExp(`^(${LATE_PACKAGES.join('|')})$`);
    bundler.onResolve({ filter: isLate }, ({ path }) => ({ path, namespace: 'late-package' }));
    bundler.onLoad({ filter: /.*/, namespace: 'late-package' }, ({ path }) => {
      const names = Object.keys(createRequire(import.meta.url)(path));
      const getters = names.map(
        (name) => `${JSON.stringify(name)}: { enumerable: true, get: () => late()[${JSON.stringify(name)}] },`,
      );
      return {
        contents: `const late = () => importLazily.now(${JSON.stringify(path)});
module.exports = Object.defineProperties((...argv) => late()(...argv), {${getters.join('')}});`,
      };
    });
  },
};
