/** Hard links, set-user-ID bits and files without any permission that a member leaves where it works. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Workplace, type Answer } from '../support/cli.ts';
import { git } from '../support/tree-scene.ts';

const ODD = `#!/bin/sh
echo changed >a.txt
ln a.txt second.txt
cp /bin/true by-copy; chmod 4755 by-copy 2>/dev/null && echo "set-user-ID"
exit 0
`;

interface Project {
  readonly at: string;
  readonly say: (...argv: string[]) => Promise<Answer>;
}

/** A repository that is not below /tmp, which is empty inside anyway. */
function project(): Project {
  const at = mkdtempSync(join(realpathSync(homedir()), '.odd-modes-'));
  onTestFinished(() => {
    execFileSync('chmod', ['-R', 'u+rwX', at]);
    rmSync(at, { recursive: true, force: true });
  });
  git(at, 'init', '-q');
  writeFileSync(join(at, 'a.txt'), 'one\n');
  writeFileSync(join(at, 'odd.sh'), ODD, { mode: 0o755 });
  git(at, 'add', '-A');
  git(at, 'commit', '-qm', 'begin');
  const place = new Workplace();
  return { at, say: (...argv) => place.say(argv, { cwd: at }) };
}

const plan = (isolation: string, sandbox: string, run = './odd.sh'): string =>
  JSON.stringify({
    name: 'p',
    isolation,
    members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox }],
    tasks: [{ subject: 'Leave them', owner: 'ada', run }],
  });

const modeOf = (at: string, name: string): string => (statSync(join(at, name)).mode & 0o7777).toString(8);

describe.each([
  ['workspace-write', '755'],
  ['full', '4755'],
])('a member with the sandbox %s', (sandbox, mode) => {
  it('leaves links and modes in the project: undo gives all back', async () => {
    const { at, say } = project();
    writeFileSync(join(at, 'p.json'), plan('off', sandbox, './odd.sh; echo x >closed.txt; chmod 000 closed.txt'));
    expect((await say('run', 'p.json')).code).toBe(0);
    expect(modeOf(at, 'by-copy')).toBe(mode);
    expect((await say('diff')).out).toContain('by-copy');
    expect((await say('undo', '--yes')).code).toBe(0);
    const left = readdirSync(at).filter((name) => !name.startsWith('.'));
    // A file that nobody may read was in no safety point; git, as an ordinary user, does not read it.
    expect(left.filter((name) => name !== 'closed.txt').toSorted()).toEqual(['a.txt', 'odd.sh', 'p.json']);
    expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('lands from its tree two files for a hard link, and no set-user-ID bit', async () => {
    const { at, say } = project();
    writeFileSync(join(at, 'p.json'), plan('trees', sandbox));
    const ran = await say('run', 'p.json');
    expect(ran.code, ran.err).toBe(0);
    expect((await say('apply')).code).toBe(0);
    expect(modeOf(at, 'by-copy')).toBe('755');
    expect([statSync(join(at, 'a.txt')).nlink, statSync(join(at, 'second.txt')).nlink]).toEqual([1, 1]);
    expect(readFileSync(join(at, 'second.txt'), 'utf8')).toBe('changed\n');
    expect((await say('undo', '--yes')).code).toBe(0);
    expect(existsSync(join(at, 'by-copy'))).toBe(false);
  });
});

describe.each([
  ['a file', 'echo x >closed.txt; chmod 000 closed.txt', 'closed.txt'],
  ['a directory', 'mkdir closed; echo x >closed/x; chmod 000 closed', 'closed'],
])('%s in a tree that nobody may read', (_, run, name) => {
  it('is not left out in silence: the task fails and names it, and the tree is kept', async () => {
    const { at, say } = project();
    writeFileSync(join(at, 'p.json'), plan('trees', 'workspace-write', run));
    const { code, out } = await say('run', 'p.json');
    expect(out).toMatch(new RegExp(`its change could not be kept: git add: .*${name}`));
    expect(code).toBe(1);
    const trees = readdirSync(join(at, '.teams/p/trees')).filter((one) => one.startsWith('.left-ada'));
    expect(trees.map((one) => existsSync(join(at, '.teams/p/trees', one, name)))).toEqual([true]);
    expect((await say('delete', '--now')).code).toBe(0);
  });
});

describe('a file of the project that has a second name outside', () => {
  it.each(['apply', 'undo'])('%s writes a file of its own, and nothing outside', async (verb) => {
    const { at, say } = project();
    const outside = join(mkdtempSync(`${at}-outside-`), 'a.txt');
    onTestFinished(() => rmSync(dirname(outside), { recursive: true }));
    writeFileSync(join(at, 'p.json'), plan(verb === 'apply' ? 'trees' : 'off', 'workspace-write'));
    const give = (text: string): void => {
      rmSync(join(at, 'a.txt'));
      writeFileSync(outside, text, { mode: 0o600 });
      linkSync(outside, join(at, 'a.txt'));
    };
    if (verb === 'apply') give('one\n');
    expect((await say('run', 'p.json')).code).toBe(0);
    if (verb === 'undo') give('changed\n');
    expect((await say(verb, '--yes')).code).toBe(0);
    expect(readFileSync(join(at, 'a.txt'), 'utf8')).toBe(verb === 'apply' ? 'changed\n' : 'one\n');
    expect(readFileSync(outside, 'utf8')).toBe(verb === 'apply' ? 'one\n' : 'changed\n');
  });
});
