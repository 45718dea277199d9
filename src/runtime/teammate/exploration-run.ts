/**
 * Explores the code base from one angle (docs/specification.md R10.11). What another role of the session has found is
 * used again. While another process explores the same angle, this one waits for it. Without an answer the role goes on
 * without it.
 */
import { randomBytes } from 'node:crypto';
import { explorationText, readFindings } from '../../model/pipeline/exploration.ts';
import { chooseFrom } from '../../policy/pipeline/subagent-choice.ts';
import { explorePrompt } from '../../policy/pipeline/subagent-wording.ts';
import { Explorations, type Angle } from '../../store/session/explorations.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { RoleSubagents } from './role-subagents.ts';
import { ENV } from '../../model/text/environment.ts';

interface Explored {
  /** What was found, in a few lines; undefined if no agent could answer. */
  readonly text?: string;
  readonly warning?: string;
}

const LOOK_AGAIN_MS = 250;

/** @returns undefined when it was aborted */
export async function explore(
  store: TeamStore,
  subagents: RoleSubagents,
  { angle, query }: { readonly angle: string; readonly query: string },
  signal: AbortSignal,
): Promise<Explored | undefined> {
  const explorations = new Explorations(store);
  try {
    for (;;) {
      const found = await explorations.look(angle);
      if (found.kind === 'known') return { text: explorationText(found.exploration, found.path) };
      if (found.kind === 'ours') return await lookOurselves(explorations, subagents, { angle, query, found }, signal);
      await store.clock.sleep(LOOK_AGAIN_MS, signal);
      if (signal.aborted) return undefined;
    }
  } catch (error) {
    // The index is optional: the role goes on without it.
    return { warning: `${angle} was not explored: ${error instanceof Error ? error.message : String(error)}` };
  }
}

interface Look {
  readonly angle: string;
  readonly query: string;
  readonly found: Angle & { readonly kind: 'ours' };
}

async function lookOurselves(
  explorations: Explorations,
  subagents: RoleSubagents,
  { angle, query, found }: Look,
  signal: AbortSignal,
): Promise<Explored | undefined> {
  const boundary = randomBytes(9).toString('hex');
  const fetched = await subagents.run(
    {
      kind: 'explore',
      about: angle,
      choice: chooseFrom(subagents.pool),
      prompt: explorePrompt({ angle, query, boundary }),
      variables: { [ENV.angle]: angle },
      read: readFindings,
    },
    signal,
  );
  if (fetched.kind !== 'answer') {
    await explorations.leave(angle);
    return fetched.kind === 'aborted' ? undefined : { warning: `${angle} was not explored: ${fetched.why}` };
  }
  const exploration = { angle, query, by: fetched.by, ...fetched.value };
  await explorations.keep(found.path, exploration);
  return { text: explorationText(exploration, found.path) };
}
