/** `approvals: ask`: what a model wants to do waits for a person, whichever way the person answers. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { until } from '../support/cli.ts';
import { bash, started } from '../support/asking-crew.ts';
import { allowLeft } from '../support/leftovers.ts';

describe('a permission', () => {
  it('is asked with the whole command, and nothing runs before the answer', async () => {
    const on = await started([bash('echo one >one.txt')]);
    const id = await on.open();
    expect((await on.approvals()).asked).toMatchObject([{ text: 'bash runs\necho one >one.txt', task: '1' }]);
    const { out } = await on.place.teams('why', 'ada');
    expect(out).toContain('teams answer');
    expect(existsSync(join(on.place.root, 'one.txt'))).toBe(false);
    expect((await on.place.teams('answer', 'crew', id, 'perhaps')).code).toBe(2);
    expect((await on.place.teams('answer', 'crew', id, 'yes')).code).toBe(0);
    const end = await on.ended;
    expect(end.code).toBe(0);
    expect(readFileSync(join(on.place.root, 'one.txt'), 'utf8')).toBe('one\n');
    expect(end.out).toContain('ada asked for permission: bash runs echo one >one.txt: allowed (yes)');
  });

  it('of a call that is too long to be shown says so first, and shows how the call ends', async () => {
    const on = await started([bash(`echo ${'x'.repeat(9_000)}; touch hidden`)]);
    const id = await on.open();
    const text = (await on.approvals()).asked[0]?.text ?? '';
    expect(text).toMatch(
      /^bash runs \(only 3,\d{3} of 9,019 characters are shown, its beginning and its end; whole in .*\)\necho x+\n…\nx+; touch hidden$/,
    );
    const [, whole = ''] = /whole in ([^)]*)\)/.exec(text) ?? [];
    expect(readFileSync(join(on.place.root, whole), 'utf8')).toBe(`bash runs\necho ${'x'.repeat(9_000)}; touch hidden`);
    await on.place.teams('answer', 'crew', id, 'no');
    expect((await on.ended).code).toBe(0);
    expect(existsSync(join(on.place.root, 'hidden'))).toBe(false);
  });

  it('that is refused is told to the model with the reason, and the run goes on', async () => {
    const on = await started([bash('rm -rf important')]);
    expect((await on.place.teams('answer', await on.open(), 'no', '--team', 'crew')).code).not.toBe(0);
    expect((await on.place.teams('answer', 'crew', await on.open(), 'no, it is needed')).code).toBe(0);
    expect((await on.ended).code).toBe(0);
    expect(JSON.stringify(on.server.requests.at(-1)?.body)).toContain('bash is denied by a person: it is needed.');
  });

  it('for always is not asked again, is listed, and can be taken back', async () => {
    const on = await started([bash('echo x >>x.txt'), bash('echo x >>x.txt'), bash('echo y >>x.txt')]);
    await on.place.teams('answer', 'crew', await on.open(), 'always');
    // The same command again is not asked; another one is.
    const second = await on.open();
    expect((await on.approvals()).asked.map(({ text }) => text)).toEqual([
      'bash runs\necho x >>x.txt',
      'bash runs\necho y >>x.txt',
    ]);
    await on.place.teams('answer', 'crew', second, 'yes');
    expect((await on.ended).code).toBe(0);
    expect(readFileSync(join(on.place.root, 'x.txt'), 'utf8')).toBe('x\nx\ny\n');
    expect((await on.approvals()).allowed).toMatchObject([{ tool: 'bash', text: 'bash runs\necho x >>x.txt' }]);
    expect((await on.place.teams('approvals', 'crew', '--remove', '1')).out).toContain('Not allowed any more');
    expect((await on.approvals()).allowed).toEqual([]);
    expect((await on.place.teams('approvals', 'crew', '--remove', '1')).code).toBe(2);
  });

  it('that nobody answers in time is refused', async () => {
    const on = await started([bash('echo late')], { more: 'approvalTimeout: 1s' });
    expect((await on.ended).code).toBe(0);
    expect((await on.approvals()).asked).toMatchObject([{ outcome: 'withdrawn', answer: 'nobody answered for 1s' }]);
    expect(JSON.stringify(on.server.requests.at(-1)?.body)).toContain('bash is denied: nobody answered for 1s.');
  });

  it('of a process that was killed is withdrawn and asked anew', async () => {
    allowLeft();
    const on = await started([bash('echo again >again.txt', { times: 2 })]);
    const first = await on.open();
    const record = z.object({ pid: z.number() });
    const path = join(on.place.root, '.teams', 'crew', 'processes', 'ada.json');
    process.kill(record.parse(JSON.parse(readFileSync(path, 'utf8'))).pid, 'SIGKILL');
    const isOver = async (): Promise<boolean> => (await on.approvals()).asked[0]?.outcome === 'withdrawn';
    await until(isOver, 'the first request is withdrawn', 30_000);
    expect((await on.place.teams('answer', 'crew', first, 'yes')).code).not.toBe(0);
    const second = await on.open();
    expect(second).not.toBe(first);
    await on.place.teams('answer', 'crew', second, 'yes');
    expect((await on.ended).code).toBe(0);
    expect(readFileSync(join(on.place.root, 'again.txt'), 'utf8')).toBe('again\n');
  });

  it('is not asked for what only reads, nor by a member that does not ask', async () => {
    const read = { calls: [{ tool: 'read_file', input: { path: 'crew.yaml' } }] };
    const on = await started([read]);
    expect((await on.ended).code).toBe(0);
    expect((await on.approvals()).asked).toEqual([]);
  });

  it('is answered by a person, never by a member', async () => {
    const on = await started([bash('echo hi')]);
    const id = await on.open();
    const asMember = { environment: { TEAMS_MEMBER: 'ada', TEAMS_TEAM: 'crew' } };
    expect((await on.place.say(['answer', 'crew', id, 'yes'], asMember)).code).not.toBe(0);
    const sent = await on.place.teams('send', 'crew', 'ada', 'yes', '--reply-to', id);
    expect(`${sent.out}${sent.err}`).not.toBe('');
    expect((await on.approvals()).asked).toMatchObject([{ outcome: 'open' }]);
    await on.place.teams('answer', 'crew', id, 'yes');
    expect((await on.ended).code).toBe(0);
  });
});
