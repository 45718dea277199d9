/** The scripted agent does what its script says, in order, and stops where it must. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TurnInput } from '../../src/agents/agent-contract.ts';
import type { ScriptedTurn } from '../../src/agents/script.ts';
import { scripted } from '../../src/agents/scripted.ts';
import { tempDir } from '../support/temp.ts';
import { describeAgent } from './contract.ts';
import { isReady, play, turnInput, type Played } from './turns.ts';

type Turns = readonly (Partial<ScriptedTurn> | Record<string, unknown>)[];

const agentOf = (turns: Turns, crash?: () => void) =>
  scripted({ kind: 'scripted', options: JSON.parse(JSON.stringify({ turns })) as Record<string, string> }, crash);

const playAll = async (turns: Turns, prompts: readonly string[], over: Partial<TurnInput> = {}): Promise<Played[]> => {
  const agent = agentOf(turns);
  const cwd = tempDir();
  const played = [];
  for (const prompt of prompts) played.push(await play(agent.turn(turnInput(cwd, { prompt, ...over }))));
  return played;
};

const texts = (all: readonly Played[]): string[] =>
  all.map(({ end }) => (end.kind === 'aborted' ? 'aborted' : end.text));

describeAgent('scripted', (cwd) => ({
  agent: agentOf([
    { match: '[hangs]', says: ['ready'], waitsFor: 'never', repeat: true },
    { match: '[fails]', fails: { why: 'exit', message: 'exit 3: no', exitCode: 3 }, repeat: true },
  ]),
  input: (behaviour, over) =>
    turnInput(cwd, behaviour === 'answers' ? over : { ...over, prompt: `[${behaviour}] ${over?.prompt ?? ''}` }),
}));

describe('a script', () => {
  it('a script is played in order, then by default', async () => {
    const played = await playAll([{ answers: 'one' }, { answers: 'two' }], ['a', 'b', 'c\nmore']);
    expect(texts(played)).toEqual(['one', 'two', '(scripted) done: c']);
  });

  it('a script gives a turn with a match only to a matching prompt, once unless it repeats', async () => {
    const turns = [
      { match: 'apple', answers: 'fruit' },
      { match: 'rose', answers: 'flower', repeat: true },
      { answers: 'other' },
    ];
    const played = await playAll(turns, ['a rose', 'an apple', 'a rose', 'an apple', 'stone']);
    expect(texts(played)).toEqual(['flower', 'fruit', 'flower', 'other', '(scripted) done: stone']);
  });

  it('a script says, calls tools, writes, and answers', async () => {
    const cwd = tempDir();
    const agent = agentOf([
      { says: ['hello', 'there'], calls: [{ tool: 'TaskList' }], writes: { 'a/b.txt': 'text' }, answers: 'done' },
    ]);
    const { events, end } = await play(agent.turn(turnInput(cwd)), undefined, { ok: true, text: 'no tasks' });
    expect(events.map((event) => (event.type === 'said' ? event.text : event.type))).toEqual([
      'hello',
      'there',
      'called',
    ]);
    expect(events.at(-1)).toEqual({ type: 'called', tool: 'TaskList', input: {} });
    expect(readFileSync(join(cwd, 'a/b.txt'), 'utf8')).toBe('text');
    expect(end).toEqual({ kind: 'answered', text: 'done' });
  });

  it('a script waits for a time, and for a file', async () => {
    const cwd = tempDir();
    const agent = agentOf([{ says: ['ready'], waitsMs: 5, waitsFor: 'go', answers: 'went' }]);
    const { end } = await play(agent.turn(turnInput(cwd)), (event) => {
      if (isReady(event)) writeFileSync(join(cwd, 'go'), '');
    });
    expect(end).toEqual({ kind: 'answered', text: 'went' });
  });

  it('a script fails as it is told to', async () => {
    const fails = { why: 'rate_limited', message: 'later', retryAfterMs: 50 };
    const [played] = await playAll([{ fails }], ['a']);
    expect(played?.end).toEqual({ kind: 'failed', text: '', ...fails });
  });

  it('a script crashes its own process, after all else', async () => {
    const cwd = tempDir();
    const crashes: boolean[] = [];
    const agent = agentOf([{ writes: { done: '' }, crashes: true }], () => crashes.push(existsSync(join(cwd, 'done'))));
    expect((await play(agent.turn(turnInput(cwd)))).end).toMatchObject({ kind: 'failed', why: 'crashed' });
    expect(crashes).toEqual([true]);
  });

  it('a script does nothing more once it is aborted', async () => {
    const abort = new AbortController();
    const cwd = tempDir();
    const turn = agentOf([{ says: ['ready', 'more'], writes: { a: '' }, crashes: true }]).turn(
      turnInput(cwd, { signal: abort.signal }),
    );
    const { events, end } = await play(turn, () => abort.abort());
    expect({ events, end }).toEqual({ events: [{ type: 'said', text: 'ready' }], end: { kind: 'aborted' } });
    expect(existsSync(join(cwd, 'a'))).toBe(false);
  });

  it('a script writes nothing in a read-only turn, and says so', async () => {
    const [played] = await playAll([{ writes: { 'a.txt': '' } }], ['a'], { sandbox: 'read-only' });
    expect(played?.events).toEqual([
      { type: 'said', text: '(scripted) a.txt was not written: the turn is read-only.' },
    ]);
  });

  it('a script writes nothing through a link that leads out', async () => {
    const [cwd, outside] = [tempDir(), tempDir()];
    symlinkSync(outside, join(cwd, 'out'));
    const { events } = await play(agentOf([{ writes: { 'out/deep/a': '' } }]).turn(turnInput(cwd)));
    expect(events).toHaveLength(1);
    expect(existsSync(join(outside, 'deep'))).toBe(false);
  });

  it.each([
    ['an unknown key', { turns: [{ anwsers: 'x' }] }, 'Unknown key "anwsers"; did you mean "answers"?'],
    ['a path that leads out', { turns: [{ writes: { '../a': '' } }] }, 'below the working directory'],
    ['an absolute path', { turns: [{ writes: { '/a': '' } }] }, 'below the working directory'],
    ['turns and a file', { turns: [], file: 'a.yaml' }, 'either "turns" or "file"'],
    ['a file that does not exist', { file: '/nowhere/a.yaml' }, '/nowhere/a.yaml cannot be read (ENOENT)'],
  ])('a script is refused with %s', (_, options, why) => {
    expect(() => scripted({ kind: 'scripted', options })).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(why) as string }) as Error,
    );
  });

  it.each([
    ['YAML', 'a.yaml', '- answers: from a file\n'],
    ['JSON', 'a.json', '[{ "answers": "from a file" }]'],
  ])('a script may be a file of %s', async (_, name, text) => {
    const cwd = tempDir();
    const file = join(cwd, name);
    writeFileSync(file, text);
    const agent = scripted({ kind: 'scripted', options: { file } });
    expect((await play(agent.turn(turnInput(cwd)))).end).toMatchObject({ text: 'from a file' });
  });

  it.each(['- answers: [', '- answers: 1', 'answers: x'])('a script is refused when its file contains %j', (text) => {
    const file = join(tempDir(), 'script.yaml');
    writeFileSync(file, text);
    expect(() => scripted({ kind: 'scripted', options: { file } })).toThrow(
      /^The script .*script\.yaml is not valid: /,
    );
  });

  it('a script writes in the directory of the turn, which may be a link', async () => {
    const root = tempDir();
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    await play(agentOf([{ writes: { a: 'x' } }]).turn(turnInput(join(root, 'link'))));
    expect(readFileSync(join(root, 'real/a'), 'utf8')).toBe('x');
  });
});
