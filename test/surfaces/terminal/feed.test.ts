/** What `watch` keeps of an output: also the line that has no end yet. */
import { expect, it, onTestFinished } from 'vitest';
import { OutputLog } from '../../../src/store/board/output-log.ts';
import { Feed, type FeedSource } from '../../../src/surfaces/terminal/watch/feed.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

it.each<FeedSource>([
  { kind: 'task', name: '1' },
  { kind: 'member', name: 'ada' },
])('a progress bar is shown while its line has no end: %o', async (source) => {
  const { store } = new ToldTeam({ ada: 'executor/exec' }).led().started('ada').add('Build').claim('1', 'ada');
  const log = new OutputLog(store.disk, store.paths.output(name('ada')), store.paths.outputParts(name('ada')));
  onTestFinished(() => log.close());
  log.begin({ task: '1', claim: 1 }, new Date(store.clock.now()).toISOString());
  log.append(Buffer.from('start\n5 %\r10 %\r20 %'));
  let look = (): void => {};
  const feed = new Feed(store, source, () => look());
  onTestFinished(() => feed.close());
  /** The lines, once the last of them ends so. */
  const until = (end: string): Promise<readonly string[]> =>
    new Promise((resolve) => {
      look = () => {
        if (feed.lines.at(-1)?.endsWith(end) === true) resolve(feed.lines);
      };
      look();
    });
  expect(await until('20 %')).toEqual(['start', '5 %^M10 %^M20 %']);
  log.append(Buffer.from('\r100 %\ndone\n'));
  expect(await until('done')).toEqual(['start', '5 %^M10 %^M20 %^M100 %', 'done']);
});

it('an output without a line is read at once, and a text when it is made', async () => {
  const { store } = new ToldTeam({ ada: 'executor/exec' }).led().started('ada');
  const feedOf = (source: FeedSource): { readonly feed: Feed; readonly news: Promise<void> } => {
    let tell = (): void => {};
    const news = new Promise<void>((resolve) => (tell = resolve));
    const feed = new Feed(store, source, () => tell());
    onTestFinished(() => feed.close());
    return { feed, news };
  };
  const output = feedOf({ kind: 'member', name: 'ada' });
  expect(output.feed.isRead).toBe(false);
  await output.news;
  expect([output.feed.isRead, output.feed.lines]).toEqual([true, []]);

  let make = (_text: string): void => {};
  const text = new Promise<string>((resolve) => (make = resolve));
  const why = feedOf({ kind: 'why', name: '1', text: () => text });
  await new Promise((resolve) => setImmediate(resolve));
  expect(why.feed.isRead).toBe(false);
  make('Because.');
  await why.news;
  expect([why.feed.isRead, why.feed.lines]).toEqual([true, ['Because.']]);
});
