import { describe, expect, it } from 'vitest';
import { namedPaths } from '../../../src/policy/sandbox/own-command.ts';

const HOME = '/home/me';
const variables = { TEAMS_ROOT: '/home/me/my project', HOME, NAME: 'x' };
const surroundings = { roots: ['/home/me/my project', '/data/p'], home: HOME, variables };

describe('what a command names', () => {
  it.each([
    './notify.sh',
    'sh ../x',
    'make -C .',
    'cd "$TEAMS_ROOT" && make',
    'cd ${TEAMS_ROOT}; make',
    'sh "/home/me/my project/a.sh"',
    'sh /home/me/my\\ project/a.sh',
    'node --require=./x.js -e 1',
    '/data/p/run',
    'PATH=/data/p:$PATH run',
    'sh -c "x" </data/p/run',
    '$HOME/my\\ project/run',
  ])('%s: the workspace', (command) => {
    expect(namedPaths(command, surroundings).namesWorkspace).toBe(true);
  });

  it.each([
    'notify-send "teams is done"',
    'curl --json @- https://hooks.example/x',
    '/data/project2/run',
    '/data/p-2/run',
    'logger -t teams 1.2',
    '~/bin/notify',
  ])('%s: nothing of it', (command) => {
    expect(namedPaths(command, surroundings).namesWorkspace).toBe(false);
  });

  it('absolute paths, those of the home, and names', () => {
    expect(namedPaths('~/bin/notify --to $NAME done', surroundings)).toEqual({
      namesWorkspace: false,
      absolute: ['/bin/sh', '/home/me/bin/notify'],
      plain: ['x', 'done'],
    });
    expect(namedPaths(['/opt/run', 'a.sh'], surroundings)).toMatchObject({ absolute: ['/opt/run'], plain: ['a.sh'] });
  });
});
