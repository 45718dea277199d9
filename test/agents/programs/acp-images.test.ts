/** Images of the workspace that a task names reach an ACP program that takes them, and no other. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { namedImages } from '../../../src/runtime/tools/named-images.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { Workplace } from '../../support/cli.ts';
import { tempDir } from '../../support/temp.ts';
import { like } from '../like.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(92)]);

async function asked(tells: string): Promise<string> {
  const place = new Workplace();
  const server = await ModelServer.start({ script: () => ({ text: 'Done.' }) });
  onTestFinished(() => server.close());
  writeFileSync(join(place.root, 'login.png'), PNG);
  const agent = { kind: 'acp', command: like('acp'), env: { LIKE_URL: server.url, MISBEHAVES: tells } };
  const tasks = [{ subject: 'Draw', owner: 'ada', prompt: 'Build what login.png shows.' }];
  place.put('plan.json', JSON.stringify({ name: 'tiny', members: [{ name: 'ada', agent }], tasks }));
  expect((await place.teams('run', 'plan.json')).code).toBe(0);
  return JSON.stringify(server.requests.map(({ messages }) => messages));
}

describe('an ACP program', () => {
  it('that takes images gets those that its task names', async () => {
    expect(await asked('sees images')).toContain('[saw image/png of 100 bytes]');
  });

  it('that takes none gets the words only', async () => {
    const words = await asked('');
    expect(words).toContain('login.png');
    expect(words).not.toContain('[saw');
  });
});

describe('the images that a prompt names', () => {
  function workspace(): string {
    const root = tempDir();
    mkdirSync(join(root, 'ui'));
    for (const name of ['ui/a.png', 'b.PNG', 'c.png', 'd.png', 'e.png']) writeFileSync(join(root, name), PNG);
    writeFileSync(join(root, 'words.png'), 'these are words');
    const outside = tempDir();
    writeFileSync(join(outside, 'secret.png'), PNG);
    symlinkSync(join(outside, 'secret.png'), join(root, 'link.png'));
    symlinkSync(outside, join(root, 'out'));
    return root;
  }

  it.each([
    ['a path, in words', 'Look at `ui/a.png`, please.', 1],
    ['an absolute path below the root', 'Look at ROOT/ui/a.png.', 1],
    ['a name in capitals, twice', 'b.PNG b.PNG', 1],
    ['at most four', 'ui/a.png b.PNG c.png d.png e.png', 4],
    ['words with the name of an image', 'words.png', 0],
    ['what does not exist', 'no.png ui/no.png .png', 0],
    ['what is outside', '../secret.png out/secret.png', 0],
    ['a link that leads out', 'link.png', 0],
    ['a longer name', 'c.pngx c.png2', 0],
  ])('are: %s', (_, prompt, count) => {
    const root = workspace();
    expect(namedImages(root, prompt.replace('ROOT', root))).toHaveLength(count);
  });
});
