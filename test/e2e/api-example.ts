/**
 * The public API as docs/library.md and the README show it: type-checked here, and run by `library.test.ts` with other
 * agents.
 */
import { agents, createTeam, type AgentSpec } from '../../src/index.ts';

interface Cast {
  readonly ada: AgentSpec;
  readonly bob: AgentSpec;
  readonly cy: AgentSpec;
}

const real: Cast = { ada: agents.claude({ model: 'sonnet' }), bob: agents.codex(), cy: agents.exec('npm test') };

export async function example(root: string, log: (line: string) => void, cast: Cast = real): Promise<string> {
  const team = await createTeam('login', {
    root,
    profile: 'v8',
    members: [
      { name: 'ada', role: 'explorer', agent: cast.ada },
      { name: 'bob', role: 'executor', agent: cast.bob },
      { name: 'cy', role: 'test-engineer', agent: cast.cy },
    ],
  });
  await team.start();
  const profile = await team.board.add({ subject: 'Profile the login route', owner: 'ada' });
  const fix = await team.board.add({ subject: 'Fix the slowest call', owner: 'bob', blockedBy: [profile.id] });
  await team.board.add({ subject: 'Test it', owner: 'cy', blockedBy: [fix.id] });
  await team.send('bob', 'The public API must not change.');
  await team.done();
  for await (const event of team.events()) if (event.type === 'task.completed') log(event.task.subject);
  const report = await team.report();
  await team.stop();
  await team.delete();
  return report;
}
