/** The board and the inboxes as MCP resources: `teams://TEAM/tasks`, `teams://TEAM/inbox/NAME`. To look at, never taken. */
import { LEAD, storedLine, type Desk, type TeamHandle } from '../../index.ts';
import { capped } from './capped.ts';

export interface Listed {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: 'application/json';
}

const mimeType = 'application/json' as const;
/** Messages of an inbox that are shown. */
const SHOWN = 200;

export function listResources({ team, side }: Desk): Listed[] {
  if (team === undefined) return [];
  const board = team.store.board.fold();
  // A member sees its own mail; the lead sees that of all.
  const inboxes = side === 'lead' ? [LEAD, ...board.members.keys()] : [team.speaker.name];
  return [
    { uri: `teams://${team.name}/tasks`, name: `Tasks of ${team.name}`, mimeType },
    ...inboxes.map((name) => ({ uri: `teams://${team.name}/inbox/${name}`, name: `Unread mail of ${name}`, mimeType })),
  ];
}

/** @returns undefined for what is not listed */
export function readResource(desk: Desk, uri: string): string | undefined {
  const { team } = desk;
  if (team === undefined || !listResources(desk).some((one) => one.uri === uri)) return undefined;
  const [kind, name] = uri.slice(`teams://${team.name}/`.length).split('/');
  const content = kind === 'tasks' ? team.board.list() : mailOf(team, name);
  return capped(JSON.stringify(content, undefined, 2));
}

function mailOf(team: TeamHandle, name: string | undefined) {
  const mail = [];
  for (const message of team.inbox(name)) {
    mail.push(storedLine(message));
    if (mail.length === SHOWN) break;
  }
  return mail;
}
