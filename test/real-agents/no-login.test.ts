/** A real Gemini without a login or a key: its member is told so, and how to log in. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { agentFor } from '../../src/agents/agent-registry.ts';
import { play, turnInput } from '../agents/turns.ts';
import { allowLeft } from '../support/leftovers.ts';
import { realCli } from './clis.ts';

beforeEach(() => allowLeft(/\/gemini\//));

it('gemini without a login says by which ways a person can log in', async () => {
  const base = mkdtempSync(join(realpathSync(homedir()), '.real-no-login-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const [home, cwd, own] = [join(base, 'home'), join(base, 'project'), join(base, 'own')];
  for (const made of [home, cwd, own]) mkdirSync(made);
  const agent = await agentFor({ kind: 'gemini', command: [await realCli('gemini')] }, { home: own });
  onTestFinished(() => agent.close());
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const { end } = await play(agent.turn(turnInput(cwd, { env, signal: AbortSignal.timeout(60_000) })));
  expect(end).toMatchObject({ kind: 'failed', why: 'unauthorised' });
  expect(JSON.stringify(end)).toMatch(/Log in with the program itself \(Log in with Google, Gemini API key/);
});
