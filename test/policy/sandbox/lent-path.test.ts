/** A tree that commands see at the path of the project: paths there and back. */
import { expect, it } from 'vitest';
import { hostPath, shownPath } from '../../../src/policy/sandbox/lent-path.ts';

const ROOT = '/home/me/work/.teams/p/trees/ada';
const SHOWN = { at: '/home/me/work', behind: [], lend: [] };

it.each([
  ['/home/me/work', ROOT],
  ['/home/me/work/src/a.ts', `${ROOT}/src/a.ts`],
  // What is there on the host is covered: the tree has a folder of that name.
  ['/home/me/work/.teams/p/config.json', `${ROOT}/.teams/p/config.json`],
])('%s is %s of the host, and the other way round', (inside, outside) => {
  expect(hostPath(inside, ROOT, SHOWN)).toBe(outside);
  expect(shownPath(outside, ROOT, SHOWN)).toBe(inside);
});

it.each([ROOT, `${ROOT}/src/a.ts`, '/home/me/workshop/a.ts', '/etc/hosts', 'src/a.ts', '../a.ts'])(
  '%s is itself',
  (path) => expect(hostPath(path, ROOT, SHOWN)).toBe(path),
);
