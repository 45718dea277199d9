/** A member's program owns its home, and may leave links there; what we write at its next start must stay in the home. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { prepareHome } from '../../../src/agents/programs/agent-home-contents.ts';
import { tempDir } from '../../support/temp.ts';

let member: string;
let outside: string;
let home: string;
beforeEach(() => {
  [member, outside] = [tempDir(), tempDir()];
  home = join(member, 'gemini');
  writeFileSync(join(outside, 'settings.json'), 'mine');
});

const settings = { files: { '.gemini/settings.json': 'ours' } };
const login = (): { links: Record<string, readonly [string, string]> } => ({
  links: { '.gemini/login.json': [outside, 'settings.json'] },
});
const isUntouched = (): boolean =>
  readdirSync(outside).join(' ') === 'settings.json' && readFileSync(join(outside, 'settings.json'), 'utf8') === 'mine';

describe('a home that its program filled with links', () => {
  it.each<[string, () => void]>([
    ['the home itself', () => symlinkSync(outside, home)],
    [
      'a folder of the home',
      () => {
        mkdirSync(home);
        symlinkSync(outside, join(home, '.gemini'));
      },
    ],
    [
      'a file of the home',
      () => {
        mkdirSync(join(home, '.gemini'), { recursive: true });
        symlinkSync(join(outside, 'settings.json'), join(home, '.gemini/settings.json'));
      },
    ],
    [
      'a file of the home, to a missing file',
      () => {
        mkdirSync(join(home, '.gemini'), { recursive: true });
        symlinkSync(join(outside, 'new.json'), join(home, '.gemini/settings.json'));
      },
    ],
  ])('a link at %s leads no write outside', (_, plant) => {
    plant();
    prepareHome(home, { ...settings, ...login() });
    expect(isUntouched()).toBe(true);
    expect(lstatSync(home).isDirectory()).toBe(true);
    expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toBe('ours');
    expect(readlinkSync(join(home, '.gemini/login.json'))).toBe(join(outside, 'settings.json'));
  });

  it('a file of another name for a user file is replaced, not written', async () => {
    const { linkSync } = await import('node:fs');
    mkdirSync(join(home, '.gemini'), { recursive: true });
    linkSync(join(outside, 'settings.json'), join(home, '.gemini/settings.json'));
    prepareHome(home, settings);
    expect(isUntouched()).toBe(true);
  });
});

describe('a home', () => {
  it('its other files stay, and a login that its program made itself stays', () => {
    mkdirSync(join(home, '.gemini'), { recursive: true });
    writeFileSync(join(home, '.gemini/login.json'), 'its own');
    writeFileSync(join(home, 'kept'), 'kept');
    prepareHome(home, { ...settings, ...login() });
    expect(readFileSync(join(home, '.gemini/login.json'), 'utf8')).toBe('its own');
    expect(readFileSync(join(home, 'kept'), 'utf8')).toBe('kept');
  });

  it('the link to a login that is gone is removed, and one to another place is set anew', () => {
    mkdirSync(join(home, '.gemini'), { recursive: true });
    symlinkSync('/nowhere', join(home, '.gemini/login.json'));
    prepareHome(home, login());
    expect(readlinkSync(join(home, '.gemini/login.json'))).toBe(join(outside, 'settings.json'));
    prepareHome(home, { links: { '.gemini/login.json': [outside, 'missing'] } });
    expect(existsSync(join(home, '.gemini/login.json'))).toBe(false);
  });
});
