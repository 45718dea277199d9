/**
 * What the lead runs of `setup:` and `teardown:` (docs/isolation.md): the setup of the tree in which gates run, before
 * anything starts, and the teardown of every tree whose setup began, when no member works any more. Isolated as gates.
 */
import process from 'node:process';
import { childEnvironment } from '../../agents/agent-registry.ts';
import type { Turn } from '../../agents/agent-contract.ts';
import { ENV } from '../../model/text/environment.ts';
import { LEAD } from '../../model/text/names.ts';
import { portsOf } from '../../policy/landing/port-base.ts';
import type { TreeOwner } from '../../store/files/paths.ts';
import { hasTree } from '../../store/trees/vault.ts';
import { forgetSetup, wasSetUp } from '../../store/trees/tree-needs.ts';
import { MemberOutput } from '../agents/member-output.ts';
import { runTurn } from '../agents/run-turn.ts';
import type { JudgingCommand } from '../isolation/judging-isolation.ts';
import { runInTree } from '../agents/run-in-tree.ts';
import { shownTree } from '../trees/shown-tree.ts';
import { needsIn, type TreeUse } from '../trees/tree-needs.ts';
import { judgingOf, type GateSession } from './gates.ts';

/** How commands of the user's run in a tree, for the lead. */
export async function treeUse(
  session: GateSession,
  of: TreeOwner,
  what: 'setup' | 'teardown',
  signal: AbortSignal,
): Promise<TreeUse> {
  const { store, children, gates, isolation, lend } = session;
  const cwd = store.paths.tree(of);
  const place = { store, children, gates, isolation, lend, shown: shownTree(store) };
  const judging = await judgingOf(`${what} of the tree ${of}`, cwd, place);
  if (typeof judging === 'string')
    return { isMounted: false, run: () => Promise.resolve({ why: judging, output: '' }) };
  return {
    isMounted: judging.isIsolated,
    async run(commands) {
      const output = new MemberOutput(store, LEAD);
      const env = environmentOf(session, of);
      const call = () => Promise.resolve({ ok: false as const, why: 'a command calls no tools' });
      try {
        return await children.run((marker) => {
          const wrap = (command: JudgingCommand): JudgingCommand => {
            const judged = judging.wrap(command);
            const marked = marker.mark(judged.argv);
            return { argv: marked.argv, env: { ...judged.env, ...marked.env } };
          };
          const drive = (turn: Turn) => runTurn(turn, { output, call, sandbox: 'full' }, signal);
          const { isIsolated } = judging;
          return runInTree({ commands, how: { env, cwd, signal, wrap, drive }, output, isIsolated });
        });
      } finally {
        output.end();
        output.close();
      }
    },
  };
}

function environmentOf({ store }: GateSession, of: TreeOwner): Record<string, string> {
  const { config, paths, board } = store;
  const { members = [], env_pass: envPass = [] } = config.readOwn() ?? {};
  const add = {
    [ENV.team]: paths.name,
    [ENV.portBase]: String(portsOf(board.fold().team?.id ?? '', members, of)),
    ...(of.startsWith('.') ? {} : { [ENV.member]: of }),
  };
  return childEnvironment('exec', { parent: process.env, envPass, add });
}

/** A teardown must not keep an interrupted run from its end. */
const TEARDOWN_MS = 60_000;

/** Runs the teardown of each tree whose setup began. What fails is told, and not tried again. */
export async function tearDown(
  session: GateSession & { tell(event: { type: string; text: string }): void },
  owners: readonly TreeOwner[],
): Promise<void> {
  const { store } = session;
  const { disk, paths } = store;
  for (const of of owners.filter((one) => hasTree(disk, paths, one) && wasSetUp(disk, paths, one))) {
    const { teardown } = needsIn(store);
    if (teardown.length > 0) {
      const signal = AbortSignal.timeout(TEARDOWN_MS);
      const use = await treeUse(session, of, 'teardown', signal);
      const failed = await use.run(teardown);
      if (failed !== undefined) {
        const why = signal.aborted ? `it took more than ${TEARDOWN_MS / 1_000} s` : failed.why;
        session.tell({ type: 'tree.teardown_failed', text: `teardown of the tree ${of}: ${why}` });
      }
    }
    forgetSetup(paths, of);
  }
}
