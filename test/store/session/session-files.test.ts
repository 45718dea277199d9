/** The files that the roles of a session share: wisdom, the message bus, explorations. Ten processes write at once. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeTeam, type TeamHandle } from '../../../src/runtime/team/team-handle.ts';
import { Explorations } from '../../../src/store/session/explorations.ts';
import { addWisdom, readWisdom } from '../../../src/store/session/wisdom-store.ts';
import { tempDir } from '../../support/temp.ts';
import { together } from '../../support/workers.ts';

const TEAM = 'tls-login-2026-02-27';
const WRITERS = Array.from({ length: 10 }, (_, n) => `w${n}`);

let root = '';
let team: TeamHandle;
beforeEach(() => {
  root = tempDir();
  vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
  const made = makeTeam(TEAM, { profile: 'pipeline' }, { root, environment: {} });
  team = made;
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await made.store.close();
  });
});

async function all<T>(job: string): Promise<T[]> {
  const workers = await together(
    root,
    job,
    WRITERS.map((who) => ({ root, team: TEAM, who })),
  );
  const said = await Promise.all(workers.map((worker) => worker.result<T>()));
  return said.flatMap((one) => (one === undefined ? [] : [one]));
}

const learnings = (): string => readFileSync(team.paths.wisdom('learnings'), 'utf8');

describe('a session', () => {
  it('a session has its folders and its id from the beginning', () => {
    expect(readdirSync(team.paths.folder)).toEqual(
      expect.arrayContaining(['spec', 'discussions', 'explorations', 'artifacts', 'wisdom']),
    );
    expect(team.store.config.read()?.session_id).toBe('TLS-login-2026-02-27');
  });

  it('ten simultaneous writers lose and double no line of wisdom, and number the bus without a gap', async () => {
    const said = await all<{ seqs: number[] }>('learn');
    const wanted = [1, 2, 3].flatMap((n) => [`- all ${n}`, ...WRITERS.map((who) => `- ${who} ${n}`)]);
    const lines = learnings()
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(lines.toSorted()).toEqual(wanted.toSorted());
    const seqs = [...team.store.events.read()].flatMap(({ event }) =>
      event.type === 'bus.logged' ? [event['seq']] : [],
    );
    expect(seqs).toEqual(Array.from({ length: 31 }, (_, at) => at + 1));
    expect(new Set(said.flatMap(({ seqs: own }) => own)).size).toBe(30);
  });

  it('ten simultaneous processes explore each angle once', async () => {
    const said = await all<{ looked: string[] }>('explore');
    expect(said.flatMap(({ looked }) => looked).toSorted()).toEqual(['shared', ...WRITERS].toSorted());
  });
});

describe('wisdom', () => {
  it('wisdom is added behind the lines of others, which count as known', async () => {
    await addWisdom(team.store, 'learnings', ['one']);
    appendFileSync(team.paths.wisdom('learnings'), '* two');
    expect(await addWisdom(team.store, 'learnings', ['two', 'three'])).toEqual(['three']);
    expect(learnings()).toBe('# Learnings\n\n- one\n* two\n- three\n');
    expect(readWisdom(team.store.disk, team.paths)[0]).toEqual({ file: 'learnings', bullets: ['one', 'two', 'three'] });
  });
});

describe('an exploration', () => {
  const found = { angle: 'The  API', query: 'q', by: 'gemini', summary: 's', files: [], patterns: [] };
  const explorations = (): Explorations => new Explorations(team.store);
  const ours = async (angle: string): Promise<string> => {
    const look = await explorations().look(angle);
    if (look.kind !== 'ours') throw new Error(`${angle} is ${look.kind}`);
    return look.path;
  };

  it('an exploration is known by its angle, in any spelling', async () => {
    const path = await ours('The  API');
    expect(await explorations().look('the api')).toEqual({ kind: 'awaited' });
    await explorations().keep(path, found);
    expect(await explorations().look('the api')).toEqual({ kind: 'known', exploration: found, path });
    expect(path).toBe(join(team.paths.session.explorations, 'explore-the-api.json'));
  });

  it('a failed, interrupted or damaged exploration is made again', async () => {
    await ours('a');
    await explorations().leave('a');
    const path = await ours('a');
    const index = join(team.paths.session.explorations, 'cache-index.json');
    const dead = readFileSync(index, 'utf8').replace(/"startTime": "\d+"/, '"startTime": "1"');
    writeFileSync(index, dead);
    expect(await ours('a')).toBe(path);
    await explorations().keep(path, { ...found, angle: 'a' });
    writeFileSync(path, '{"half":');
    expect(await ours('a')).toBe(path);
  });

  it('what a process of another folder explores is explored anew in a copied session', async () => {
    const path = await ours('a');
    expect(await explorations().look('a')).toEqual({ kind: 'awaited' });
    const index = join(team.paths.session.explorations, 'cache-index.json');
    const text = readFileSync(index, 'utf8');
    writeFileSync(
      index,
      text.replace(/"ino": (\d+)/, (_, ino) => `"ino": ${Number(ino) + 1}`),
    );
    expect(await ours('a')).toBe(path);
  });

  it('each exploration has its own file, also if two angles have no letters that a file name may contain', async () => {
    expect(await ours('日本')).not.toBe(await ours('中国'));
  });
});
