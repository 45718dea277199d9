/** A running team of `exec` teammates, led from the calling process. */
import { createTeam } from '../../dist/index.js';
import { execAgent, openStore, parseName, realClock, sendMail, teamPaths } from '../.build/product.mjs';

/** @returns the team, and the pids of its teammates */
export async function startTeam(root, size) {
  const names = Array.from({ length: size }, (_, n) => `m${n}`);
  const members = names.map((name) => ({ name, agent: execAgent('true') }));
  const team = await createTeam('bench', { root, environment: {}, members });
  await team.start();
  const store = openStore(teamPaths(root, parseName('team', 'bench')), { clock: realClock });
  const pids = store.roster.all().flatMap(({ name, pid }) => (names.includes(name) ? pid : []));
  const speaker = { kind: 'person', name: 'lead', epoch: store.board.fold().lead.epoch };
  return {
    names,
    pids,
    /** Mail that its reader acknowledges without a turn of its agent. */
    send: (name, text) => sendMail(store, speaker, name, text, { kind: 'status' }),
    async stop() {
      await store.close();
      await team.stop({ now: true });
    },
  };
}
