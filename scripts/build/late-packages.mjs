/** Packages that are bundles of their own. */
import { createRequire } from 'node:module';

/** Packages that few starts need: each is a bundle of its own, loaded at the first use of one of its names. */
export const LATE_PACKAGES = ['yaml', 'picomatch'];

export const latePackages = {
  name: 'late-packages',
  setup(bundler) {
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
