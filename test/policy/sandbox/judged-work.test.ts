import { describe, expect, it } from 'vitest';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import type { Sandbox } from '../../../src/model/agent/agent.ts';
import { judgedAs, withMembers, withWriter, writersOf, type Writer } from '../../../src/policy/sandbox/judged-work.ts';
import { name } from '../../support/team.ts';

const writer = (kind: AgentKind | undefined, sandbox?: Sandbox, role = 'executor') => ({
  role: name(role),
  sandbox,
  agent: kind === undefined ? undefined : { kind },
});

describe('commands that judge work', () => {
  it.each([
    ['nobody', [], { kind: 'free' }],
    ['a command without a named sandbox', [writer('exec')], { kind: 'free' }],
    ['a command with one', [writer('exec', 'workspace-write')], { kind: 'bound', hidesKeys: false }],
    ['a program of a model', [writer('claude')], { kind: 'bound', hidesKeys: false }],
    ['Codex, which holds itself', [writer('codex')], { kind: 'bound', hidesKeys: false }],
    ['a model API', [writer('anthropic')], { kind: 'bound', hidesKeys: true }],
    ['full', [writer('claude', 'full')], { kind: 'free' }],
    ['a reader, who wrote nothing', [writer('claude', 'read-only')], { kind: 'free' }],
    ['a role that only reads', [writer('claude', undefined, 'explorer')], { kind: 'free' }],
    ['a member without an agent', [writer(undefined)], { kind: 'free' }],
    [
      'the strictest of many',
      [writer('exec'), writer('claude', 'full'), writer('gemini')],
      { kind: 'bound', hidesKeys: false },
    ],
  ])('are isolated by the strictest who wrote: %s', (_, writers, expected) => {
    expect(judgedAs(writers, 'auto')).toEqual(expected);
  });

  it('a command without a named sandbox is isolated where isolation is required', () => {
    expect(judgedAs([writer('exec')], 'required')).toEqual({ kind: 'bound', hidesKeys: false });
    expect(judgedAs([writer('exec', 'full')], 'required')).toEqual({ kind: 'free' });
  });

  it.each([
    ['another sandbox', writer('claude'), writer('claude', 'full')],
    ['another agent', writer('exec', 'workspace-write'), writer('exec')],
    ['neither', writer('anthropic'), undefined],
  ])('a member is judged as before, too, when it has %s', (_, before, after) => {
    const ada = { ...before, name: name('ada') };
    const now = after === undefined ? [] : [{ ...after, name: name('ada') }];
    const changed = withMembers({ members: [ada], kept: 'as it was' }, now);
    expect(changed).toMatchObject({ members: now, kept: 'as it was' });
    expect(judgedAs(writersOf(changed), 'auto')).toEqual(judgedAs([before], 'auto'));
    expect(withMembers(changed, now)).toEqual(changed);
  });

  it('a writer is noted once, and only if a sandbox holds it', () => {
    const noted = [writer('claude'), writer('claude'), writer('codex', 'full'), writer('exec', 'read-only')];
    const writers = noted.reduce<readonly Writer[]>(withWriter, []);
    expect(writers).toEqual([writer('claude')]);
  });
});
