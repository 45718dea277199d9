/** A write outside of the member's task is refused at the moment of writing, by our tools and by permission requests. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentEvent, CallAnswer, Turn } from '../../../src/agents/agent-contract.ts';
import { runTurn } from '../../../src/runtime/agents/run-turn.ts';
import { writeDoor } from '../../../src/runtime/agents/write-door.ts';
import { openWorkspace } from '../../../src/runtime/tools/tool-workspace.ts';
import { openHandle } from '../../../src/runtime/team/team-handle.ts';
import { team } from '../../support/session.ts';
import { name } from '../../support/team.ts';

async function door() {
  const tasks = [
    { subject: 'A', owner: 'ada', work: { files: ['src/a/**'] } },
    { subject: 'B', owner: 'bob', work: { files: ['src/b/**'] } },
  ];
  const on = await team({ members: ['ada', 'bob'], tasks });
  await using ada = openHandle('crew', { root: on.root, as: 'ada', environment: {} });
  await ada.board.claim('1');
  mkdirSync(join(on.root, 'src/b'), { recursive: true });
  writeFileSync(join(on.root, 'src/b/y.js'), 'of bob');
  return { root: on.root, refusesWrite: writeDoor(on.handle.store, name('ada'), on.root) };
}

const refused = {
  ok: false,
  why: expect.stringMatching(/src\/b\/y\.js belongs to bob, by task #2.*--kind boundary/) as string,
};

it('write_file and edit_file refuse a file of another task, and write the own files and new ones', async () => {
  const { root, refusesWrite } = await door();
  const workspace = await openWorkspace({
    root,
    isolation: 'off',
    permissions: () => ({ sandbox: 'workspace-write', planPending: false }),
    refusesWrite,
    environment: process.env,
    onWarning: () => {},
  });
  onTestFinished(() => workspace[Symbol.asyncDispose]());
  const { signal } = new AbortController();
  const edit = { path: 'src/b/y.js', old_text: 'of bob', new_text: 'x' };
  expect(await workspace.call('edit_file', edit, { signal })).toMatchObject(refused);
  for (const path of ['src/b/y.js', 'src/a/../b/y.js'])
    expect(await workspace.call('write_file', { path, content: 'x' }, { signal })).toMatchObject(refused);
  for (const path of ['src/a/x.js', 'notes.md', 'notes.md'])
    expect(await workspace.call('write_file', { path, content: 'x' }, { signal })).toMatchObject({ ok: true });
  expect(existsSync(join(root, 'src/a/x.js'))).toBe(true);
});

it("a program's permission request for a file of another task is denied with its owner's name", async () => {
  const { refusesWrite } = await door();
  const heard: (CallAnswer | undefined)[] = [];
  async function* turn(): Turn {
    const asked = { type: 'asked', tool: 'Write', effect: 'writes', paths: ['src/b/y.js'], input: '' } as const;
    const reads: AgentEvent = { ...asked, effect: 'reads' };
    heard.push(yield asked, yield { ...asked, paths: ['src/a/x.js'] }, yield reads);
    return Promise.resolve({ kind: 'answered', text: '' });
  }
  const output = { print: () => {}, say: () => {} };
  const call = () => Promise.reject(new Error('nothing is called'));
  await runTurn(turn(), { output, sandbox: 'workspace-write', refusesWrite, call }, new AbortController().signal);
  expect(heard).toMatchObject([refused, { ok: true }, { ok: true }]);
});
