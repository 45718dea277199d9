/** `teams route`: the worked examples of docs/specification.md R8.6, and the choice if an agent is not installed. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Workplace } from '../../support/cli.ts';

const shape = z.strictObject({
  schemaVersion: z.literal(2),
  domain: z.enum(['backend', 'frontend', 'ambiguous']),
  score: z.number(),
  tier: z.enum(['haiku', 'sonnet', 'opus']),
  agent: z.string().nullable(),
  role: z.string(),
  words: z.strictObject({ backend: z.array(z.string()), frontend: z.array(z.string()) }),
  why: z.string(),
});

/** A machine with these programs only, and no key. */
function machine(...programs: string[]): Workplace {
  const place = new Workplace({ OLLAMA_HOST: '127.0.0.1:1' });
  for (const program of programs) chmodSync(place.put(`bin/${program}`, '#!/bin/sh\n'), 0o755);
  return Object.assign(place, { environment: { ...place.environment, PATH: join(place.root, 'bin') } });
}

describe('route', () => {
  it.each([
    ['Add user authentication with JWT', 'backend', 'sonnet', 'codex', 'executor'],
    ['Create responsive profile page component', 'frontend', 'haiku', 'gemini', 'designer'],
    ['Refactor auth module and update login UI', 'ambiguous', 'sonnet', 'claude', 'executor'],
  ])('%s', async (text, domain, tier, agent, role) => {
    const place = machine('claude', 'codex', 'gemini');
    expect(await place.json(shape, 'route', text)).toMatchObject({ domain, tier, agent, role });
  });

  it('route gives its reason in words', async () => {
    const { out } = await machine('claude').teams('route', 'Add', 'user', 'authentication', 'with', 'JWT');
    expect(out).toMatch(/^agent {4}claude \(executor\)\n/);
    expect(out).toContain('domain   backend (backend: auth, jwt; frontend: no word)');
    expect(out).toContain('codex is not available');
  });

  it('route prefers a flag to everything else', async () => {
    const routed = await machine('codex').json(shape, 'route', 'Add an API', '--agent', 'opencode');
    expect(routed.agent).toBe('opencode');
    expect(routed.why).toContain('asked for by --agent');
  });

  it('route says so if the machine has no agent', async () => {
    expect(await machine().json(shape, 'route', 'Add an API')).toMatchObject({ agent: null, domain: 'backend' });
    expect((await machine().teams('route', 'Add an API')).out).toMatch(/^agent {4}none is available here/);
    expect((await machine().teams('route', '')).code).toBe(2);
  });
});
