/**
 * A role whose subagents fail, row by row (docs/specification.md R10.10), and the hold of a HIGH lack of consensus
 * (R10.13).
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execAgent, type AgentSpec } from '../../../src/model/agent/agent.ts';
import { parseRoleSpec } from '../../../src/model/pipeline/role-spec.ts';
import { RoleSession } from '../../../src/runtime/teammate/role-session.ts';
import { MemberSession } from '../../../src/runtime/team/member-session.ts';
import { sendRateFrom } from '../../../src/runtime/team/send-rate.ts';
import { scripted, team, type Team } from '../../support/session.ts';
import { name } from '../../support/team.ts';

const FILE = ['---', 'prefix: DRAFT', 'discuss_rounds: [DISCUSS-002]', 'perspectives: [risk]'];
const BODY = ['subagents: [discuss, explore, doc-gen]', '---', 'You write.', '', '## Phase 3: Write', '', 'Write.'];
const { role: spec } = parseRoleSpec(name('writer'), { file: 'writer.md', text: [...FILE, ...BODY].join('\n') });

const broken = execAgent('cat > /dev/null; exit 3');
const answering = (answers: string): AgentSpec => scripted({ answers, repeat: true });
const rated = (rating: number): AgentSpec => answering(JSON.stringify({ rating, summary: 'So it is.' }));

interface At {
  readonly on: Team;
  readonly session: RoleSession;
}

/** A writer of DRAFT-001 whose own agent has memory, and the agents for its subagents. */
async function at(...pool: [AgentSpec, ...AgentSpec[]]): Promise<At> {
  return inRound('DISCUSS-002', pool);
}

async function inRound(round: string, pool: [AgentSpec, ...AgentSpec[]]): Promise<At> {
  const task = { subject: 'DRAFT-001 Write', work: { artifact: 'brief.md' }, metadata: { _discuss: round } };
  const on = await team({ members: ['writer'], profile: 'pipeline', tasks: [task] });
  writeFileSync(join(on.root, 'brief.md'), '# The brief\n');
  const { store, paths } = on.handle;
  const speaker = { kind: 'member', name: name('writer'), incarnation: '01ARZ3NDEKTSV4RRFFQ69G5FAV' } as const;
  const self = new MemberSession(store, speaker, sendRateFrom(store.clock, {}), () => undefined);
  const fields = {
    role: 'writer',
    role_spec: 'writer.md',
    session: paths.folder,
    session_id: 'TLS-x',
    team_name: 'crew',
    requirement: 'log in',
    inner_loop: true,
  };
  const role = { fields, spec, cwd: on.root, agent: { kind: 'claude' } as const, pool, envPass: [], isAsked: false };
  const session = new RoleSession(self, role, new AbortController().signal);
  onTestFinished(() => session.close());
  return { on, session };
}

describe('a role whose subagent fails', () => {
  it('a role writes its document itself if its subagent fails, and warns', async () => {
    const { on, session } = await at(broken);
    expect(await session.draft(on.task('1'), 'Write.', [])).toBeUndefined();
    expect((await session.discuss(on.task('1')))?.metadata['warnings']).toEqual([
      'DRAFT-001 was not drafted by a subagent: exec: exit 3',
      expect.stringMatching(/^DISCUSS-002 was skipped: no agent answered for Risk/),
    ]);
  });

  it('a role goes on without a discussion if its subagents fail, and warns', async () => {
    const { on, session } = await at(broken);
    expect(await session.discuss(on.task('1'))).toEqual({
      changes: [],
      metadata: { warnings: [expect.stringMatching(/^DISCUSS-002 was skipped/)] },
    });
  });

  it('a role goes on without an exploration if its subagent fails, and warns', async () => {
    const { on, session } = await at(broken);
    expect(await session.opening()).toMatch(/^A line of your answer such as `WISDOM/);
    expect((await session.discuss(on.task('1')))?.metadata['warnings']).toEqual([
      'codebase was not explored: exec: exit 3',
      expect.stringMatching(/^DISCUSS-002 was skipped/),
    ]);
  });
});

describe('a role with subagents', () => {
  it('a role has a document drafted by a subagent from its earlier work', async () => {
    const { on, session } = await at(scripted({ match: 'DRAFT-000', answers: '# A draft', repeat: true }));
    const before = { task: 'DRAFT-000', artifact: null, key_decisions: [], summary: 'x', warnings: [], notes: [] };
    const accumulator = [{ ...before, discuss_verdict: 'none', discuss_rating: null }];
    expect(await session.draft(on.task('1'), 'Write.', accumulator)).toBe('# A draft');
  });

  it.each([
    [5, 'consensus_reached', 'none'],
    [1, 'consensus_blocked (severity=HIGH)', 'consensus'],
  ])('a role whose work is rated %s ends it as %s, and asks the lead for %s', async (rating, verdict, asks) => {
    const { on, session } = await at(rated(rating));
    const discussed = await session.discuss(on.task('1'));
    expect(discussed?.metadata).toMatchObject({ discuss_verdict: verdict, discuss_rating: rating });
    const kinds = discussed?.changes.map((change) => (change.type === 'request.made' ? change.kind : change.type));
    expect(kinds).toEqual(asks === 'none' ? [] : [asks]);
  });

  it.each(['../../../planted', '/tmp/planted', 'DISCUSS-002/../../../../planted', '..', 'a b'])(
    'a board that came with a pull names the round %j: it is not held, and writes nowhere',
    async (round) => {
      const { on, session } = await inRound(round, [rated(5)]);
      const { metadata } = (await session.discuss(on.task('1'))) ?? {};
      expect(metadata).toEqual({ warnings: [expect.stringContaining('is no id of a round')] });
      expect(readdirSync(on.root).filter((file) => file.includes('discussion'))).toEqual([]);
      expect(readdirSync(on.paths.session.discussions)).toEqual([]);
    },
  );

  it('a role adds what an answer contributes to the shared wisdom, and begins the next task with it', async () => {
    const { session } = await at(broken);
    await session.learn('Done.\nWISDOM conventions: tabs\nWISDOM conventions: tabs');
    expect(await session.opening()).toContain('# conventions\n- tabs\n');
  });
});
