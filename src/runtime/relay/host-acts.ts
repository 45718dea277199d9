/** Carries out in the engine what hosts and leads ask about placements. */
import { livenessOf } from '../../os/process-table.ts';
import { askForHost, askForPlacement, hostsOf } from '../../store/engine/engine-hosts.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import { realDisk } from '../../store/files/disk.ts';
import { folderAt } from '../../store/files/folder-of.ts';
import { holderIn, isHere } from '../../store/replica/elsewhere.ts';
import type { HostAsked } from '../../store/replica/team-hosts.ts';
import { hostsFor } from './note-hosts.ts';
import { answerOf, asked, unlessBehind, type Answered, type ReplicaTeam, type Waiting } from './relay-acts.ts';
import type { Name } from '../../model/text/names.ts';

/** @param root the replica that the hosts of this machine serve */
export async function hosted(
  session: EngineSession,
  waiting: readonly Waiting[],
  teams: ReadonlyMap<Name, ReplicaTeam>,
  root: string,
): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const one of asked(waiting, 'host')) {
    let owner: string | undefined;
    const said = await answerOf(registered(session, one.request.body, root).then((holder) => void (owner = holder)));
    answers.push({ one, said: said.ok ? { ok: true, owner } : said });
  }
  for (const one of asked(waiting, 'hosts')) {
    let text: string | undefined;
    const { team } = one.request;
    const said = await answerOf(
      hostsOf(session).then((all) => void (text = JSON.stringify({ hosts: hostsFor(team, all, false) }))),
    );
    answers.push({ one, said: said.ok ? { ok: true, text } : said });
  }
  for (const one of asked(waiting, 'placement')) {
    const { team, body } = one.request;
    const id = teams.get(team)?.replica.id;
    const done = id === undefined ? undefined : askForPlacement(session, id, body);
    answers.push({ one, said: await unlessBehind(team, done) });
  }
  return answers;
}

async function registered(session: EngineSession, body: HostAsked, root: string): Promise<string | undefined> {
  const owner = await askForHost(session, body);
  if (body.do === 'leave' || owner === undefined || owner === body.owner) return owner;
  const holder = holderIn(owner);
  const here = folderAt(realDisk, root);
  // One that was killed here cannot give its name back.
  if (holder === undefined || here === undefined || !isHere(holder, here) || livenessOf(holder) !== 'dead')
    return owner;
  await askForHost(session, { do: 'leave', name: body.name, owner });
  return askForHost(session, body);
}
