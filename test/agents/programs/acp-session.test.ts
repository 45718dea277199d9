/** How the session of an ACP program is opened: what it can do decides, and what did not work is said. */
import type { ClientContext } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { abilitiesIn, openAcpSession } from '../../../src/agents/programs/acp-session.ts';
import { refusal } from '../../../src/agents/programs/acp-updates.ts';
import type { AgentStep } from '../../../src/agents/programs/agent-step.ts';

const MODELS = [
  { id: 'mode', category: 'mode', type: 'select', currentValue: 'ask', options: [{ value: 'ask', name: 'Ask' }] },
  {
    id: 'model',
    category: 'model',
    type: 'select',
    currentValue: 'small',
    options: [{ group: 'g', name: 'G', options: ['small', 'large'].map((value) => ({ value, name: value })) }],
  },
];

/** A program that answers by a table; what is not in it fails. */
function program(answers: Readonly<Record<string, unknown>>) {
  const asked: [method: string, params: unknown][] = [];
  const request = (method: string, params: unknown): Promise<unknown> => {
    asked.push([method, params]);
    return method in answers ? Promise.resolve(answers[method]) : Promise.reject(new Error(`no ${method}`));
  };
  return { agent: { request } as unknown as ClientContext, asked, methods: () => asked.map(([method]) => method) };
}

async function open(
  one: ReturnType<typeof program>,
  abilities: object,
  wanted: { session?: string | undefined; model?: string; mode?: string } = {},
): Promise<{ id: string; noted: string[] }> {
  const steps: AgentStep[] = [];
  const { session, model, mode } = wanted;
  const request = { abilities: abilitiesIn(abilities), session, model, mode, cwd: '/', mcpServers: [] };
  const id = await openAcpSession(one.agent, request, (step) => steps.push(step));
  const noted = steps.flatMap((step) => (step.do === 'tell' && step.event.type === 'noted' ? [step.event.text] : []));
  return { id, noted };
}

const RESUMES = { agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } } };
const LOADS = { agentCapabilities: { loadSession: true } };

describe('the session of an ACP program', () => {
  it('is resumed where the program can, which repeats nothing', async () => {
    const one = program({ 'session/resume': {} });
    expect(await open(one, RESUMES, { session: 's1' })).toEqual({ id: 's1', noted: [] });
    expect(one.methods()).toEqual(['session/resume']);
  });

  it('is loaded where it cannot be resumed', async () => {
    for (const abilities of [RESUMES, LOADS]) {
      const one = program({ 'session/load': {}, '_teams/replayed': {} });
      expect(await open(one, abilities, { session: 's1' })).toEqual({ id: 's1', noted: [] });
      expect(one.methods().at(-1)).toBe('_teams/replayed');
    }
  });

  it('is a new one where nothing else works, and that is said', async () => {
    for (const abilities of [RESUMES, LOADS, {}, { agentCapabilities: 7, authMethods: 'x' }]) {
      const one = program({ 'session/new': { sessionId: 's2' } });
      const noted = ['The session s1 cannot be resumed; a new one begins.'];
      expect(await open(one, abilities, { session: 's1' })).toEqual({ id: 's2', noted });
    }
  });

  it('uses the model that was asked for, or says why not', async () => {
    const answers = { 'session/new': { sessionId: 's2', configOptions: MODELS }, 'session/set_config_option': {} };
    const one = program(answers);
    expect(await open(one, {}, { model: 'large' })).toEqual({ id: 's2', noted: [] });
    expect(one.asked.at(-1)).toEqual([
      'session/set_config_option',
      { sessionId: 's2', configId: 'model', value: 'large' },
    ]);
    const same = program(answers);
    await open(same, {}, { model: 'small' });
    expect(same.methods()).toEqual(['session/new']);
    expect((await open(program(answers), {}, { model: 'huge' })).noted).toEqual([
      'It has no model huge, and uses small; it has small, large.',
    ]);
    expect((await open(program({ 'session/new': { sessionId: 's' } }), {}, { model: 'large' })).noted).toEqual([
      'It lets no client choose its model: large is not set.',
    ]);
  });
});

describe('the mode of an ACP program', () => {
  const modes = { currentModeId: 'ask', availableModes: ['ask', 'plan'].map((id) => ({ id, name: id })) };

  it('is set by the option of the session', async () => {
    const OPTIONS = [{ ...MODELS[0], options: ['ask', 'plan'].map((value) => ({ value, name: value })) }];
    const answers = {
      'session/new': { sessionId: 's', configOptions: OPTIONS, modes },
      'session/set_config_option': {},
    };
    const one = program(answers);
    expect(await open(one, {}, { mode: 'plan' })).toEqual({ id: 's', noted: [] });
    expect(one.asked.at(-1)).toEqual([
      'session/set_config_option',
      { sessionId: 's', configId: 'mode', value: 'plan' },
    ]);
  });

  it('is set by its own request where there is no such option, also in a session that is continued', async () => {
    const answers = { 'session/new': { sessionId: 's', modes }, 'session/resume': { modes }, 'session/set_mode': {} };
    for (const session of [undefined, 's']) {
      const one = program(answers);
      expect(await open(one, RESUMES, { mode: 'plan', session })).toEqual({
        id: 's',
        noted: [],
      });
      expect(one.asked.at(-1)).toEqual(['session/set_mode', { sessionId: 's', modeId: 'plan' }]);
    }
  });

  it('stays as it is where it is that already, or cannot be set, which is said', async () => {
    const one = program({ 'session/new': { sessionId: 's', modes } });
    expect(await open(one, {}, { mode: 'ask' })).toEqual({ id: 's', noted: [] });
    const noted = ['It has no mode yolo, and uses ask; it has ask, plan.'];
    expect(await open(one, {}, { mode: 'yolo' })).toEqual({ id: 's', noted });
    const none = ['It lets no client choose its mode: plan is not set.'];
    expect(await open(program({ 'session/new': { sessionId: 's' } }), {}, { mode: 'plan' })).toEqual({
      id: 's',
      noted: none,
    });
    expect(one.methods()).not.toContain('session/set_mode');
  });
});

it('a program that asks for a login is told with its ways to log in', () => {
  const { logins } = abilitiesIn({ authMethods: [{ id: 'o', name: 'Log in with Google' }, { id: 'k' }, 7] });
  expect(refusal({ code: -32_000, message: 'Authentication required' }, '', logins)).toMatchObject({
    why: 'unauthorised',
    message: 'Authentication required. Log in with the program itself (Log in with Google), then try again.',
  });
});
