/** Verbs in odd folders: a stale `.git`, another user's team, remains of a removed team, a deleted directory. */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Workplace } from '../../support/cli.ts';

const isRoot = process.getuid?.() === 0;

describe('a `.git` that cannot be used', () => {
  it.each([
    ['names a folder that is missing', 'gitdir: /nowhere/repo/.git/worktrees/wt\n'],
    ['is empty', ''],
  ])('and that %s gets no folder, and the team is made', async (_, text) => {
    const place = new Workplace();
    place.put('.git', text);
    expect(await place.teams('create', 'duo', '--member', 'ada')).toEqual({
      code: 0,
      out: expect.any(String),
      err: '',
    });
    expect(existsSync('/nowhere')).toBe(false);
    expect((await place.teams('init', '--yes')).code).toBe(0);
  });

  it.skipIf(isRoot)('and that may not be written costs one warning', async () => {
    const place = new Workplace();
    mkdirSync(join(place.root, '.git/info'), { recursive: true });
    for (const folder of ['.git/info', '.git']) chmodSync(join(place.root, folder), 0o500);
    onTestFinished(() => chmodSync(join(place.root, '.git/info'), 0o700));
    const { code, err } = await place.teams('create', 'duo', '--member', 'ada');
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^teams: git does not ignore .*EACCES.*\n$/) });
    expect((await place.teams('init', '--yes')).err).toContain('git does not ignore');
  });

  it('and whose exclude list is a folder costs one warning', async () => {
    const place = new Workplace();
    mkdirSync(join(place.root, '.git/info/exclude'), { recursive: true });
    const { code, err } = await place.teams('create', 'duo', '--member', 'ada');
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^teams: git does not ignore .*\n$/) });
  });
});

describe.skipIf(!isRoot)("root in another user's team", () => {
  it('may look, and is refused to write', async () => {
    const place = new Workplace();
    await place.teams('create', 'duo', '--member', 'ada');
    for (const folder of ['.teams/duo', '.tasks/duo']) chownSync(join(place.root, folder), 65_534, 65_534);
    for (const words of [
      ['send', 'duo', 'ada', 'hi'],
      ['task', 'create', 'duo', 'x'],
      ['take', 'duo', 'ada'],
      ['delete', 'duo'],
    ]) {
      const { code, err } = await place.teams(...words);
      expect({ words, code, err }).toEqual({
        words,
        code: 4,
        err: expect.stringMatching(/belongs to nobody: use `sudo -u nobody teams …`/),
      });
    }
    expect(readdirSync(join(place.root, '.teams/duo/mail'))).not.toContain('ada_inbox.jsonl');
    expect((await place.teams('status', 'duo')).code).toBe(0);
  });

  it('makes no team by sudo in a project of that user', async () => {
    const place = new Workplace();
    chownSync(place.root, 65_534, 65_534);
    process.env['SUDO_UID'] = '65534';
    onTestFinished(() => void delete process.env['SUDO_UID']);
    const { code, err } = await place.teams('create', 'duo', '--member', 'ada');
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('belongs to nobody') });
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });
});

describe('a HOME that is not absolute', () => {
  it.each(['', 'relative/home'])('(%j) leads no key, cache or configuration into the project', async (home) => {
    const place = new Workplace();
    const given = `env -u XDG_STATE_HOME -u XDG_CONFIG_HOME -u XDG_CACHE_HOME HOME='${home}'`;
    mkdirSync(join(place.root, 'project'));
    const { code } = await place.shell(`cd project && ${given} teams list && ${given} teams doctor; exit 0`);
    expect(code).toBe(0);
    expect(readdirSync(join(place.root, 'project'))).toEqual([]);
  });
});
