import { expect, it } from 'vitest';
import { loadedInside, loaderVariables, withoutLoader } from '../../../src/model/agent/loader-variables.ts';

const env = { PATH: '/bin', LD_LIBRARY_PATH: 'lib', BASH_ENV: 'x', ENVIRONMENT: 'y', 'BASH_FUNC_ls%%': '() { :; }' };

it('parts the variables that load code from all others', () => {
  expect(Object.keys(loaderVariables(env))).toEqual(['LD_LIBRARY_PATH', 'BASH_ENV', 'BASH_FUNC_ls%%']);
  expect(withoutLoader(env)).toEqual({ PATH: '/bin', ENVIRONMENT: 'y' });
});

it('has a command set them itself, and leaves one without them as it is', () => {
  const argv = ['/bin/sh', '-c', 'a=b'];
  expect(loadedInside(argv, { PATH: '/bin' })).toBe(argv);
  expect(loadedInside(argv, { LD_LIBRARY_PATH: 'lib' })).toEqual(['/usr/bin/env', 'LD_LIBRARY_PATH=lib', ...argv]);
});
