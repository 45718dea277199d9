/**
 * Runs the start of a teammate once, on its own team in a temporary directory. It runs when the package is built, so
 * that the code cache contains this code compiled.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as under } from 'node:path';
import process from 'node:process';
import { execAgent } from '../../model/agent/agent.ts';
import { agentId, parseName } from '../../model/text/names.ts';
import { newTaskSchema } from '../../model/board/task.ts';
import { createStore } from '../../store/team/create-store.ts';
import { realDisk } from '../../store/files/disk.ts';
import { removeTree } from '../../store/files/remove-tree.ts';
import { openSeal } from '../../store/user/seal.ts';
import { realClock } from '../../os/system-clock.ts';
import { join } from './join.ts';

export async function warmUp(): Promise<void> {
  const root = mkdtempSync(under(tmpdir(), 'teams-warm-up-'));
  try {
    const [team, name, role] = [parseName('team', 'warm'), parseName('member', 'ada'), parseName('role', 'executor')];
    const member = {
      name,
      role,
      agent_id: agentId(name, team),
      status: 'active' as const,
      color: 36,
      agent: { ...execAgent('true') },
    };
    const fields = newTaskSchema.parse({ subject: 'warm up', work: { run: 'true' } });
    const store = createStore(
      root,
      {
        name: team,
        profile: 'v8',
        claimMode: 'auto',
        config: { members: [member] },
        changes: [
          { type: 'member.joined', name, role, prefixes: [] },
          { type: 'task.created', task: '1', fields },
        ],
      },
      {
        clock: realClock,
        seal: openSeal(realDisk, under(root, 'key')),
        onFolded: ({ event }) => {
          if (event.type === 'task.completed') done();
        },
      },
    );
    const teammate = await join(store, name, { byHand: false, environment: process.env });
    const done = (): void => teammate.stop('shutdown');
    await teammate.run();
  } finally {
    removeTree(realDisk, root);
  }
}
