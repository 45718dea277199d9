/** Root in the team or the project of another user. */
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Workplace } from '../../support/cli.ts';

describe.skipIf(process.getuid?.() !== 0)("root in another user's team", () => {
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
      expect(code).toBe(4);
      expect(err).toMatch(/belongs to nobody: use `sudo -u nobody teams …`/);
    }
    expect(readdirSync(join(place.root, '.teams/duo/mail'))).not.toContain('ada_inbox.jsonl');
    expect((await place.teams('status', 'duo')).code).toBe(0);
  });

  it('makes no team by sudo in a project of that user', async () => {
    const place = new Workplace();
    chownSync(place.root, 65_534, 65_534);
    process.env['SUDO_UID'] = '65534';
    onTestFinished(() => {
      delete process.env['SUDO_UID'];
    });
    const { code, err } = await place.teams('create', 'duo', '--member', 'ada');
    expect(code).toBe(4);
    expect(err).toContain('belongs to nobody');
    expect(existsSync(join(place.root, '.teams'))).toBe(false);
  });
});
