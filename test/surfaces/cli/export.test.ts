/** `teams export`: one self-contained page with the same facts as the JSON, whatever the data contains. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../../support/cli.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '</style><style>*{display:none}</style>',
  '</pre></td></table><iframe src=javascript:alert(1)>',
  '<!--',
  '&lt;script&gt; ${alert(1)} {{7*7}}',
  '<svg/onload=alert(1)>\u202e\u001b[2J',
  '<a href="javascript:alert(1)">x</a><base href=//evil>',
].join(' ');

const exported = z.looseObject({
  team: z.string(),
  tasks: z.array(z.looseObject({ id: z.string(), subject: z.string(), result: z.string().nullable() })),
  timeline: z.looseObject({ spans: z.array(z.unknown()), critical: z.looseObject({ tasks: z.array(z.string()) }) }),
  mail: z.array(z.looseObject({ from: z.string(), to: z.string(), text: z.string(), isWaiting: z.boolean() })),
});

async function finished(): Promise<Workplace> {
  const place = new Workplace();
  await place.teams('create', 'login', '--member', 'ada', '--member', 'bob');
  await place.teams('task', 'create', 'login', HOSTILE, '--owner', 'ada', '--description', HOSTILE);
  await place.teams('task', 'create', 'login', 'After it', '--owner', 'bob', '--blocked-by', '1');
  await place.teams('task', 'claim', 'login', '1', '--as', 'ada');
  await place.teams('send', 'login', 'bob', HOSTILE, '--as', 'ada', '--kind', '<b>kind');
  await place.teams('task', 'complete', 'login', '1', '--as', 'ada', '--result', HOSTILE);
  await place.teams('task', 'claim', 'login', '2', '--as', 'bob');
  await place.teams('task', 'fail', 'login', '2', '--as', 'bob', '--reason', HOSTILE);
  await place.teams('delete', 'login', '--force', '--now');
  return place;
}

/** Every tag of a page, with the names of its attributes. */
const tagsOf = (page: string): { tag: string; attributes: string[] }[] =>
  [...page.matchAll(/<([a-zA-Z!/][^\s>/]*)((?:[^>"]|"[^"]*")*)>/g)].map(([, tag = '', rest = '']) => ({
    tag,
    attributes: [...rest.matchAll(/([a-zA-Z-]+)="[^"]*"/g)].map(([, name = '']) => name),
  }));

const TAGS =
  /^\/?(!doctype|html|head|meta|title|style|body|header|h1|h2|ul|li|b|nav|a|main|p|svg|line|text|rect|table|thead|tbody|tr|th|td|details|summary|pre|time|span)$/;

it('export writes one page from the archive, in which no data is markup', async () => {
  const place = await finished();
  expect((await place.teams('export', 'login', '--out', 'run.html')).code).toBe(0);
  const page = readFileSync(join(place.root, 'run.html'), 'utf8');
  const tags = tagsOf(page);
  expect([...new Set(tags.map(({ tag }) => tag))].filter((tag) => !TAGS.test(tag))).toEqual([]);
  const names = new Set(tags.flatMap(({ attributes }) => attributes));
  expect([...names].filter((name) => name.startsWith('on') || name === 'src' || name === 'style')).toEqual([]);
  expect([...page.matchAll(/href="([^"]*)"/g)].filter(([, to]) => !/^#[a-z0-9-]+$/.test(to ?? ''))).toEqual([]);
  expect(page).toMatch(/<tbody>\s*<tr id="task-1">[^]*<tr id="task-2">[^]*<\/tbody>/);
  expect(page.trim().endsWith('</pre></main></body></html>')).toBe(true);
  expect(page.match(/<style>/g)).toHaveLength(1);
  expect(page.replaceAll('&#39;', "'")).toContain(`content="default-src 'none'; style-src 'unsafe-inline'`);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).toContain('After it');
  expect(page).toMatch(
    /<main><h2 id="failures">Failures<\/h2><details open><summary><b class="failed">#2: After it<\/b>, bob: /,
  );
  expect(page).not.toContain('build skipped');
  expect(page).not.toMatch(/[\u001b\u202e]/);
});

it('export replaces no pipe, no folder, no link that leads nowhere and no file of a team', async () => {
  const place = await finished();
  execFileSync('sh', ['-c', 'mkfifo pipe; mkdir folder; ln -s nowhere lost'], { cwd: place.root });
  for (const [out, said] of [
    ['pipe', 'is a pipe or a socket that nobody reads'],
    ['folder', 'is a folder; name a file in it'],
    ['lost', 'lost is a link to nowhere, which does not exist.'],
    ['.tasks/login/log.jsonl', 'is among the files of teams'],
    ['.teams/login/events.jsonl', 'is among the files of teams'],
  ] as const) {
    const { code, err } = await place.teams('export', 'login', '--out', out);
    expect([code, err]).toEqual([2, expect.stringContaining(said)]);
  }
  expect(lstatSync(join(place.root, 'pipe')).isFIFO()).toBe(true);
  expect([readlinkSync(join(place.root, 'lost')), existsSync(join(place.root, 'nowhere'))]).toEqual(['nowhere', false]);
  expect(existsSync(join(place.root, '.tasks/login/log.jsonl'))).toBe(false);
});

it('export has the same facts as JSON', async () => {
  const place = await finished();
  const run = await place.json(exported, 'export', 'login');
  expect(run.tasks.map(({ id, result }) => [id, result === null ? null : result.includes('<script>')])).toEqual([
    ['1', true],
    ['2', true],
  ]);
  expect(run.timeline.spans).toHaveLength(2);
  expect(run.timeline.critical.tasks).toEqual(expect.arrayContaining(['1']));
  expect(run.mail.find(({ to }) => to === 'bob')).toMatchObject({ from: 'ada', text: HOSTILE, isWaiting: true });
});
