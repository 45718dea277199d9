/** A survey of a project from its file names only; used when no agent can explore it. */
import picomatch from 'picomatch';
import type { Survey } from '../../model/plan/decomposition.ts';
import { sharedIn } from './file-ownership.ts';

const isTest = picomatch(['**/{test,tests,__tests__,spec}/**', '**/*.{test,spec}.*', '**/*_test.*', '**/test_*.*'], {
  dot: true,
});

/** Directories up to this depth count as modules. */
const MODULE_DEPTH = 2;

export function surveyOf(files: readonly string[]): Survey {
  const modules = new Map<string, number>();
  for (const file of files) {
    const folder = file.split('/').slice(0, -1).slice(0, MODULE_DEPTH).join('/');
    if (folder !== '') modules.set(folder, (modules.get(folder) ?? 0) + 1);
  }
  const counted = [...modules].map(([folder, count]) => `${folder}/ (${count} file${count === 1 ? '' : 's'})`);
  return { files: [...files], modules: counted, shared: sharedIn(files), tests: files.filter((file) => isTest(file)) };
}
