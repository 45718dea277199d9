/** A reader without work looks less often, and is woken as before: by its bell, and by programs that ring none. */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ringBell, removeBell } from '../../../src/store/mail/bell.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import type { InboxPaths, TeamPaths } from '../../../src/store/files/paths.ts';
import { MailWatch, type MailWatchEnvironment } from '../../../src/store/mail/mail-watch.ts';
import { hang, name, readerOf, senderOf, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

const ada = name('ada');
const bob = name('bob');
/** A look of a reader that rests comes after the end of a test. */
const TIMES = { lookMs: 10, restMs: 600_000, restAfter: 3, glances: 4 };

let paths: TeamPaths;
let inbox: InboxPaths;
beforeEach(() => {
  paths = teamAt(tempDir());
  inbox = paths.inbox(ada);
  hang(paths, ada, bob);
});

interface Watching {
  readonly watch: MailWatch;
  readonly looks: () => number;
  readonly troubles: unknown[];
}

function watching(more: Partial<MailWatchEnvironment> = {}): Watching {
  const { reader, close } = readerOf(paths, ada, {});
  let looks = 0;
  const troubles: unknown[] = [];
  const watch = new MailWatch({
    disk: realDisk,
    inbox,
    reader,
    onLook: () => (looks += 1),
    onLost: (why) => troubles.push(why),
    onTrouble: (error) => troubles.push(error),
    mayRest: () => true,
    times: TIMES,
    ...more,
  });
  onTestFinished(() => {
    watch.close();
    close();
  });
  return { watch, looks: () => looks, troubles };
}

const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 20_000, interval: 5 });
const resting = async (more?: Partial<MailWatchEnvironment>): Promise<Watching> => {
  const one = watching(more);
  await soon(() => expect(one.watch.isResting).toBe(true));
  return one;
};

describe('a reader that rests', () => {
  it('makes the inbox that it watches, and no mail', async () => {
    const { troubles } = await resting();
    expect(readFileSync(inbox.inbox, 'utf8')).toBe('');
    expect(troubles).toEqual([]);
  });

  it('is woken by mail of a program that rings no bell, long before its next look', async () => {
    const { watch, looks } = await resting();
    const before = looks();
    appendFileSync(inbox.inbox, '{"type":"message","sender":"bob","content":"hello"}\n');
    await soon(() => expect(looks()).toBeGreaterThan(before));
    expect(watch.isResting).toBe(false);
  });

  it('is woken by a sender', async () => {
    const { watch, looks } = await resting();
    const before = looks();
    const { sender, close } = senderOf(paths);
    onTestFinished(close);
    await sender.send({ sender: bob, recipient: ada, draft: { type: 'message', content: 'hello' } });
    await soon(() => expect(looks()).toBeGreaterThan(before));
    expect(watch.isResting).toBe(false);
  });

  it('is woken by its bell alone, as for a task', async () => {
    const { watch, looks } = await resting();
    const before = looks();
    ringBell(realDisk, inbox.bell);
    await soon(() => expect(looks()).toBeGreaterThan(before));
    expect(watch.isResting).toBe(false);
  });

  it('looks at a heartbeat of its process, and goes on resting', async () => {
    const { watch, looks } = await resting();
    const before = looks();
    watch.beat();
    expect([looks(), watch.isResting]).toEqual([before + 1, true]);
  });

  it('only glances at most heartbeats while there is no news beside its mail', async () => {
    const { watch, looks } = await resting({ hasNews: () => false });
    const before = looks();
    for (let beat = 0; beat < TIMES.glances; beat += 1) watch.beat();
    expect(looks()).toBe(before);
    watch.beat();
    expect([looks(), watch.isResting]).toEqual([before + 1, true]);
  });

  it.each<[string, Partial<MailWatchEnvironment>]>([
    ['there is other news', { hasNews: () => true }],
    ['nobody can say', { hasNews: undefined }],
    [
      'it cannot be asked',
      {
        hasNews: () => {
          throw new Error('the disk fails');
        },
      },
    ],
  ])('looks at each heartbeat while %s', async (_, environment) => {
    const { watch, looks } = await resting(environment);
    const before = looks();
    watch.beat();
    expect(looks()).toBe(before + 1);
  });

  it.each<[string, () => void]>([
    ['its bell', () => writeFileSync(`${inbox.bell}.new`, '')],
    ['its inbox', () => writeFileSync(`${inbox.inbox}.new`, '')],
  ])('looks at a heartbeat when %s is another file', async (what, make) => {
    const { watch, looks } = await resting({ hasNews: () => false });
    const [before, path] = [looks(), what === 'its bell' ? inbox.bell : inbox.inbox];
    make();
    renameSync(`${path}.new`, path);
    watch.beat();
    expect(looks()).toBe(before + 1);
  });

  it('looks at a heartbeat when its inbox has mail that no watch told', async () => {
    const { watch, looks } = await resting({ hasNews: () => false });
    const before = looks();
    appendFileSync(inbox.inbox, '{"type":"message","sender":"bob","content":"hello"}\n');
    watch.beat();
    expect(looks()).toBe(before + 1);
  });

  it('rests again after a while', async () => {
    const { watch } = await resting();
    ringBell(realDisk, inbox.bell);
    await soon(() => expect(watch.isResting).toBe(false));
    await soon(() => expect(watch.isResting).toBe(true));
  });
});

describe('a reader goes on looking', () => {
  const MANY = 10 * TIMES.restAfter;

  it('while its watch does not wake it', async () => {
    removeBell(realDisk, inbox.bell);
    const { watch, looks } = watching();
    await soon(() => expect(looks()).toBeGreaterThan(MANY));
    expect(watch.isResting).toBe(false);
    expect(existsSync(inbox.inbox)).toBe(false);
  });

  it('while it has work', async () => {
    let isFree = false;
    const { watch, looks } = watching({ mayRest: () => isFree });
    await soon(() => expect(looks()).toBeGreaterThan(MANY));
    expect(watch.isResting).toBe(false);
    isFree = true;
    await soon(() => expect(watch.isResting).toBe(true));
  });

  it('and not at a heartbeat: it has a timer of its own', () => {
    const { watch, looks } = watching({ mayRest: () => false, times: { ...TIMES, lookMs: 600_000 } });
    watch.beat();
    expect(looks()).toBe(0);
  });

  it('where nobody says that it may rest, as for a lead', async () => {
    const { watch, looks } = watching({ mayRest: undefined });
    await soon(() => expect(looks()).toBeGreaterThan(MANY));
    expect(watch.isResting).toBe(false);
  });
});

describe('a reader that may not watch', () => {
  /** As where the system has no inotify instances left. */
  const watch: MailWatchEnvironment['watching'] = (_disk, _path, _onChange, onTrouble) => {
    onTrouble?.('EMFILE');
    return { check: () => true, close: () => {} };
  };
  const glancing = (more: Partial<MailWatchEnvironment> = {}) => {
    let asked = 0;
    const hasNews = (): boolean => (asked += 1) < 0;
    return { ...watching({ watching: watch, hasNews, ...more }), asked: () => asked };
  };

  it('mostly glances once it has nothing to do', async () => {
    const { looks, asked, troubles } = glancing();
    await soon(() => expect(asked()).toBeGreaterThan(20));
    const [before, glances] = [looks(), asked()];
    await soon(() => expect(asked()).toBeGreaterThan(glances + 20));
    expect(looks() - before).toBeLessThan((asked() - glances) / 2);
    expect(looks()).toBeGreaterThan(before);
    expect(troubles).toEqual(['EMFILE']);
  });

  it('looks when its inbox has mail', async () => {
    const { looks, asked } = glancing({ times: { ...TIMES, glances: 1_000_000 } });
    await soon(() => expect(asked()).toBeGreaterThan(2));
    const before = looks();
    appendFileSync(inbox.inbox, '{"type":"message","sender":"bob","content":"hello"}\n');
    await soon(() => expect(looks()).toBeGreaterThan(before));
  });

  it('looks each time while it has work', async () => {
    const { looks, asked } = glancing({ mayRest: () => false });
    await soon(() => expect(looks()).toBeGreaterThan(10 * TIMES.restAfter));
    expect(asked()).toBe(0);
  });
});
