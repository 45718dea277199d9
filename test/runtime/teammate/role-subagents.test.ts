/**
 * Subagents of a role: discuss and explore and their failures (docs/specification.md R10.10), with agents that are
 * commands or scripts.
 */
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execAgent, type AgentSpec } from '../../../src/model/agent/agent.ts';
import { discuss, type Discussion } from '../../../src/runtime/teammate/discussion-run.ts';
import { explore } from '../../../src/runtime/teammate/exploration-run.ts';
import { RoleSubagents } from '../../../src/runtime/teammate/role-subagents.ts';
import { setLimits } from '../../../src/runtime/budget/limits.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { scripted, team, type Team } from '../../support/session.ts';

const never = new AbortController().signal;
const opinion = (rating: number, more: object = {}): string => JSON.stringify({ rating, summary: 'so it is', ...more });
/** Gives the same answer to everything, and counts the calls. */
const saying = (answer: string): AgentSpec =>
  execAgent(`cat > /dev/null; echo "$TEAMS_SUBAGENT $TEAMS_PERSPECTIVE$TEAMS_ANGLE" >> asked; echo '${answer}'`);
const broken = execAgent('cat > /dev/null; echo "broken $TEAMS_PERSPECTIVE$TEAMS_ANGLE" >> asked; exit 3');

async function session(...pool: [AgentSpec, ...AgentSpec[]]): Promise<{ on: Team; errands: RoleSubagents }> {
  const on = await team({ members: ['writer'], profile: 'pipeline' });
  writeFileSync(join(on.root, 'brief.md'), '# The brief\n');
  const subagents = new RoleSubagents({
    store: on.handle.store,
    member: 'writer',
    cwd: on.root,
    pool,
    envPass: [],
    isAsked: false,
  });
  onTestFinished(() => subagents.close());
  return { on, errands: subagents };
}

const DISCUSSION: Discussion = {
  round: 'DISCUSS-002',
  perspectives: ['product', 'risk'],
  requirement: 'log in',
  subject: 'DRAFT-001 Write the brief',
  artifact: 'brief.md',
};
const held = ({ on, errands: subagents }: { on: Team; errands: RoleSubagents }, more: Partial<Discussion> = {}) =>
  discuss(on.handle.store, subagents, { ...DISCUSSION, ...more }, never);
const asked = ({ root }: Team): string[] =>
  existsSync(join(root, 'asked')) ? readFileSync(join(root, 'asked'), 'utf8').trim().split('\n').toSorted() : [];

describe('a discussion', () => {
  it('a discussion asks each perspective, computes the verdict, and is recorded with it', async () => {
    const at = await session(
      scripted(
        { match: 'perspective Product', answers: opinion(5), repeat: true },
        { match: 'perspective Risk', answers: `I think:\n\`\`\`json\n${opinion(2)}\n\`\`\``, repeat: true },
      ),
    );
    const end = await held(at);
    expect(end).toMatchObject({
      consensus: { verdict: 'consensus_blocked', severity: 'MEDIUM', ratings: { product: 5, risk: 2 } },
      warnings: [
        'Product: gemini is not available, scripted takes its place',
        'Risk: gemini is not available, scripted takes its place',
      ],
    });
    const record = readFileSync(join(at.on.paths.session.discussions, 'DISCUSS-002-discussion.md'), 'utf8');
    expect(record).toMatch(/^Verdict: consensus_blocked \(severity=MEDIUM\)$/m);
    expect(record).toMatch(/^## Risk \(scripted\): 2$/m);
  });

  it('a discussion is kept for a later incarnation until its artifact changes; a revision has its own', async () => {
    const at = await session(saying(opinion(4)));
    const first = await held(at);
    expect(await held(at)).toEqual({ ...first, warnings: [] });
    expect(asked(at.on)).toEqual(['discuss product', 'discuss risk']);
    const revised = await held(at, { subject: 'DRAFT-001-R1 Write the brief' });
    expect(revised).toMatchObject({ record: expect.stringMatching(/DISCUSS-002-R1-discussion\.md$/) as string });
    const later = statSync(join(at.on.paths.session.discussions, 'DISCUSS-002-discussion.md')).mtimeMs / 1_000 + 5;
    utimesSync(join(at.on.root, 'brief.md'), later, later);
    await held(at);
    expect(asked(at.on)).toHaveLength(6);
  });

  it('a discussion asks another agent once if one fails', async () => {
    const at = await session(broken, saying(opinion(4)));
    expect(await held(at, { perspectives: ['risk'] })).toMatchObject({ consensus: { verdict: 'consensus_reached' } });
    expect(asked(at.on)).toEqual(['broken risk', 'discuss risk']);
    expect(at.on.events('subagent.failed').map(({ text }) => text)).toEqual(['discuss DISCUSS-002 Risk: exec: exit 3']);
  });

  it('a discussion goes on without a perspective that no agent can take, and says so', async () => {
    const half = execAgent(`cat > /dev/null; [ "$TEAMS_PERSPECTIVE" = risk ] && echo no idea || echo '${opinion(4)}'`);
    const end = await held(await session(half));
    expect(end).toMatchObject({ consensus: { ratings: { product: 4 } } });
    expect(end).toHaveProperty(
      'warnings',
      expect.arrayContaining([expect.stringMatching(/^no agent answered for Risk \(exec: it contains no JSON/)]),
    );
  });

  it('a discussion is skipped with a warning if no agent can take part or there is no artifact', async () => {
    const at = await session(broken);
    const end = await held(at);
    expect(end).toEqual({
      kind: 'skipped',
      warning: expect.stringMatching(/^DISCUSS-002 was skipped: no agent answered/) as string,
    });
    expect(asked(at.on)).toEqual(['broken product', 'broken risk']);
    expect(await held(at, { artifact: 'none.md' })).toEqual({
      kind: 'skipped',
      warning: 'DISCUSS-002 was skipped: none.md does not exist',
    });
  });
});

describe('an exploration', () => {
  const found = JSON.stringify({ summary: 'small', files: [{ path: 'a.ts', why: 'all' }], patterns: ['strict'] });
  const looked = ({ on, errands: subagents }: { on: Team; errands: RoleSubagents }) =>
    explore(on.handle.store, subagents, { angle: 'The API', query: 'log in' }, never);

  it('an exploration is made once, and given to every later reader', async () => {
    const at = await session(saying(found));
    const first = await looked(at);
    expect(first?.text).toMatch(
      /^The API: 1 files, 1 patterns\. Top files: a\.ts\. small \(.*explore-the-api\.json\)$/,
    );
    expect(await looked(at)).toEqual(first);
    expect(asked(at.on)).toEqual(['explore The API']);
  });

  it('a failed exploration is skipped, and made again by the next reader', async () => {
    const at = await session(broken);
    expect(await looked(at)).toEqual({ warning: 'The API was not explored: exec: exit 3' });
    await looked(at);
    expect(asked(at.on)).toEqual(['broken The API', 'broken The API']);
  });

  it('an exploration is skipped if the index cannot be read', async () => {
    const at = await session(saying(found));
    writeFileSync(join(at.on.paths.session.explorations, 'cache-index.json'), '{');
    expect((await looked(at))?.warning).toMatch(/^The API was not explored: .*is not JSON/);
  });
});

it("the usage of a subagent counts as its member's, and so for the limits of the run", async () => {
  const server = await ModelServer.start({ script: [{ text: opinion(5), times: 'always' }] });
  onTestFinished(() => server.close());
  const agent: AgentSpec = { kind: 'anthropic', baseUrl: server.url, env: { ANTHROPIC_API_KEY: 'none' } };
  const at = await session(agent);
  await held(at, { perspectives: ['quality'] });
  expect(at.on.events('agent.spent')).toMatchObject([{ member: 'writer', kind: 'anthropic' }]);
});

it('a subagent reserves each call, which is settled by what it told', async () => {
  const usage = { input: 1_000, output: 100 };
  const server = await ModelServer.start({ script: [{ text: opinion(5), times: 'always', usage }] });
  onTestFinished(() => server.close());
  const agent: AgentSpec = { kind: 'anthropic', baseUrl: server.url, env: { ANTHROPIC_API_KEY: 'none' } };
  const at = await session(agent);
  const { store } = at.on.handle;
  await setLimits(store, [{ how: 'set', limits: { 'member.writer': { tokens: 100_000 } } }]);
  await held(at, { perspectives: ['quality'] });
  expect(store.ledger.look()?.spent.get('member.writer')).toMatchObject({ tokens: 1_100, turns: 1 });
  expect(store.ledger.look()?.all).toEqual([]);
  // A call that could go over is not made.
  await setLimits(store, [{ how: 'set', limits: { 'member.writer': { tokens: 1_200 } } }]);
  await held(at, { perspectives: ['quality'] });
  expect(store.ledger.look()?.spent.get('member.writer')).toMatchObject({ tokens: 1_100 });
  expect(server.requests).toHaveLength(1);
});

it('a subagent for which nothing is left is refused at once, and the reason is told', async () => {
  const at = await session(saying(opinion(5)));
  await setLimits(at.on.handle.store, [{ how: 'set', limits: { team: { turns: 0 } } }]);
  await held(at, { perspectives: ['quality'] });
  expect(asked(at.on)).toEqual([]);
  expect(JSON.stringify(at.on.events())).toContain('Its budget: 0 turns are used of the 0 turns of the team');
});
