/** Recorded runs are judged again: by the same policies without a difference, by others with the first one named. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/policy/supervise/judge.ts';
import { judgeEndedTurn } from '../../../src/policy/outcome.ts';
import { replayText } from '../../../src/policy/replay-text.ts';
import { replay, type Policies, type ReplayResult } from '../../../src/runtime/replay/replay.ts';
import { readCase, recordingOf, saveCase } from '../../../src/store/session/recorded-run.ts';
import { openForReading } from '../../../src/store/team/team-reader.ts';
import type { TeamPaths } from '../../../src/store/files/paths.ts';
import { FakeClock } from '../../support/clock.ts';
import { run, team } from '../../support/session.ts';
import { Stage } from '../../support/stage.ts';
import { tempDir } from '../../support/temp.ts';

const TODAY: Policies = { judge, judgeEndedTurn };

function replayed(paths: TeamPaths, policies?: Policies): ReplayResult {
  const store = openForReading(paths, { clock: new FakeClock() });
  try {
    return replay(recordingOf(store), policies);
  } finally {
    store.close();
  }
}

/** A worker hangs, is asked, loses its task and is started anew; another is killed. */
async function hangs(): Promise<TeamPaths> {
  const stage = new Stage({ ada: 'executor/claude', bob: 'executor/claude' }, {}, (told) =>
    told.add('One', { owner: 'ada' }).add('Two', { owner: 'bob' }),
  );
  await stage.begin();
  await stage.now((told) => told.claim('1', 'ada').claim('2', 'bob'));
  await stage.pass(60);
  await stage.now(() => stage.dies('bob'));
  await stage.pass(60);
  await stage.now((told) => told.claim('2', 'bob').complete('2', 'bob'));
  await stage.pass(600);
  await stage.now((told) => told.claim('1', 'bob').complete('1', 'bob'));
  await stage.pass(30);
  return stage.told.store.paths;
}

const CASES = join(import.meta.dirname, 'cases');

it.each(readdirSync(CASES))('the run in cases/%s is decided as it was', (file) => {
  const result = replay(readCase(join(CASES, file)));
  expect(result, replayText(result)).toMatchObject({ differences: 0, notReplayed: 0 });
  expect(result.decisions).toBeGreaterThan(0);
});

it('there are three recorded runs', () => {
  expect(readdirSync(CASES).length).toBeGreaterThanOrEqual(3);
});

describe('a recorded run', () => {
  it('of hanging and killed members is decided in the same way again', async () => {
    const result = replayed(await hangs());
    expect(result).toMatchObject({ differences: 0, first: null, notReplayed: 0, isCut: false });
    expect(result.decisions).toBeGreaterThan(5);
    expect(replayText(result)).toContain('all as before.');
  });

  it('of real processes that succeed, fail and are killed is decided in the same way again', async () => {
    const on = await team({
      members: ['ada', 'bob'],
      tasks: [
        { subject: 'Good', owner: 'ada', work: { run: 'true' } },
        { subject: 'Bad', owner: 'bob', work: { run: 'exit 3' } },
        { subject: 'Dies', owner: 'bob', work: { run: 'test -e once || { touch once; kill -9 "$PPID"; sleep 9; }' } },
      ],
    });
    await run(on);
    const result = replayed(on.paths);
    expect(result).toMatchObject({ differences: 0, first: null, notReplayed: 0 });
    expect(result.turns).toBeGreaterThanOrEqual(2);
    expect(result.looks).toBeGreaterThan(0);
    const strict: Policies = {
      ...TODAY,
      judgeEndedTurn: (turn) => ({ ...judgeEndedTurn(turn), do: 'fail', why: 'never', text: '' }),
    };
    const differing = replayed(on.paths, strict);
    expect(differing.first).toMatchObject({ kind: 'turn', number: 1 });
  });

  it('is decided in another way by a changed policy, and the first decision that differs is named', async () => {
    const paths = await hangs();
    const patient: Policies = {
      ...TODAY,
      judge: (sighting, limits) => judge(sighting, { ...limits, watchdogWarningMs: 2 * limits.watchdogWarningMs }),
    };
    const result = replayed(paths, patient);
    expect(result.differences).toBeGreaterThan(0);
    expect(result.first?.then).toMatchObject([{ do: 'check', member: 'ada', task: '1' }]);
    expect(result.first?.now).toEqual([]);
    expect(replayText(result)).toContain('then: the lead sent ada a status check for task #1: no progress');
    expect(replayText(result)).toContain('now:  nothing');
    const hasty: Policies = {
      ...TODAY,
      judge: (sighting, limits) => judge(sighting, { ...limits, watchdogWarningMs: limits.watchdogWarningMs / 2 }),
    };
    expect(replayed(paths, hasty).first).toMatchObject({ then: [], now: [{ do: 'check', member: 'ada' }] });
  });

  it('is kept as a test that says the same', async () => {
    const paths = await hangs();
    const file = join(tempDir(), 'case.json');
    const store = openForReading(paths, { clock: new FakeClock() });
    saveCase(store, file);
    store.close();
    expect(replay(readCase(file))).toEqual(replayed(paths));
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"do":"check"', '"do":"stop"'));
    expect(replay(readCase(file)).differences).toBe(1);
    writeFileSync(file, '{"version":1}');
    expect(() => replay(readCase(file))).toThrow('is no recorded run of this version');
  });

  it('with damaged lines says how many records were not replayed', async () => {
    const paths = await hangs();
    appendFileSync(paths.sightings, '\n{"type":"look"}\nnoise\n');
    expect(replayed(paths)).toMatchObject({ differences: 0, notReplayed: 2 });
    const lines = readFileSync(paths.sightings, 'utf8').split('\n').filter(Boolean);
    writeFileSync(paths.sightings, `${lines.slice(1).join('\n')}\n`);
    const headless = replayed(paths);
    expect(headless.looks).toBe(0);
    expect(headless.notReplayed).toBe(lines.length - 1);
  });

  it('of a team that was led by an earlier version is none', async () => {
    const on = await team({ members: ['ada'] });
    expect(() => replayed(on.paths)).toThrow('has no recorded looks');
  });
});
