/** A session's id becomes an argument of the program's next start; the program, or what it runs, may have written it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keepSession, keptSession } from '../../../src/store/team/agent-home.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { teamPaths } from '../../../src/store/files/paths.ts';
import { name } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const ada = name('ada');

it.each(['--dangerously-skip-permissions', '-c', '', 'a b', 'a\nb', 'a/../b', 'x'.repeat(129)])(
  'the session id %j is not continued',
  (id) => {
    const paths = teamPaths(tempDir(), name('login'));
    mkdirSync(paths.homes, { recursive: true });
    writeFileSync(paths.agentSession(ada), JSON.stringify({ version: 1, kind: 'claude', id }));
    expect(keptSession(realDisk, paths, ada, 'claude')).toBeUndefined();
  },
);

it.each(['0f8fad5b-d9cb-469f-a165-70867728950e', 'ses_4f2a', '01M8277Y48NZVPF49NBTSSGS5Z', 'a.b:c'])(
  'the session id %s is continued',
  (id) => {
    const paths = teamPaths(tempDir(), name('login'));
    mkdirSync(paths.homes, { recursive: true });
    keepSession(realDisk, paths, ada, { kind: 'claude', id });
    expect(keptSession(realDisk, paths, ada, 'claude')).toBe(id);
  },
);
