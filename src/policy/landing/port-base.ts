/**
 * The first of ten ports for what a member with a tree of its own starts (docs/isolation.md). Members of one team never
 * share one; teams of one machine rarely do. Nothing is reserved. The ports are below those that systems hand out.
 */
const FIRST = 10_000;
const MEMBERS = 2_000;
const PORTS = 10;

/**
 * @param team its ULID
 * @param at the position of the member in the team
 */
export function portBase(team: string, at: number): number {
  let hash = 0;
  for (const letter of team) hash = (hash * 31 + letter.charCodeAt(0)) % MEMBERS;
  return FIRST + ((hash + at) % MEMBERS) * PORTS;
}

/**
 * The first port of a tree: of a member, or of the lead, whose trees are counted after the members.
 *
 * @param members of the team, in its order
 */
export function portsOf(team: string, members: readonly { readonly name: string }[], of: string): number {
  const at = members.findIndex(({ name }) => name === of);
  return portBase(team, at === -1 ? members.length : at);
}
