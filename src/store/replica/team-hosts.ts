/**
 * The hosts of a store, and which members of a team are placed on them. The relay writes here what the store says; the
 * lead and the hosts read it.
 */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { memberSchema } from '../../model/text/names.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import { replicaOf } from './replica-root.ts';

const MOST_BYTES = 4 * 1024 * 1024;

/** A process of a host asks for its name, or holds it for longer; or gives it back. */
export const hostAskedSchema = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('register'),
    name: z.string(),
    owner: z.string(),
    slots: z.number().int().positive(),
    labels: z.array(z.string()),
    onlyTeam: z.string().nullable(),
  }),
  z.object({ do: z.literal('leave'), name: z.string(), owner: z.string() }),
]);
export type HostAsked = z.infer<typeof hostAskedSchema>;

/** How a placement ends that a host does not take, since it does not trust the team. */
export const DECLINED = 'declined';

/** A lead places a member, or takes its place away; a host says how the process of a placement ended. */
export const placementAskedSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('place'), member: memberSchema, host: z.string() }),
  z.object({ do: z.literal('displace'), number: z.number().int() }),
  z.object({ do: z.literal('end'), number: z.number().int(), how: z.string() }),
]);
export type PlacementAsked = z.infer<typeof placementAskedSchema>;

const hostSchema = z.object({
  name: z.string(),
  /** Its machine, as people call it. */
  machine: z.string(),
  slots: z.number().int(),
  used: z.number().int(),
  labels: z.array(z.string()),
});
/** A host that a lead can ask. */
export type KnownHost = z.infer<typeof hostSchema>;
export const knownHostsSchema = z.object({ hosts: z.array(hostSchema) });

/** One start of a member's process. */
const placementSchema = z.object({
  member: memberSchema,
  number: z.number().int(),
  host: z.string(),
  /** The process of the host that is to start it. */
  owner: z.string(),
  /** How its process ended. */
  ended: z.string().optional(),
});
export type HostPlacement = z.infer<typeof placementSchema>;

const fileSchema = z.object({
  version: z.literal(1),
  hosts: z.array(hostSchema),
  placements: z.array(placementSchema),
});
type TeamHosts = Omit<z.infer<typeof fileSchema>, 'version'>;

/** As the relay knows them; none in a team that is not in a store, where a pull or a program may have put that file. */
export function teamHosts(disk: Disk, { hosts, root }: TeamPaths): TeamHosts {
  const text = readText(disk, hosts, MOST_BYTES);
  if (text === undefined || replicaOf(disk, root) === undefined) return { hosts: [], placements: [] };
  const read = jsonAnswer(fileSchema, text);
  return read.ok ? read.value : { hosts: [], placements: [] };
}

/** Whether the relay has noted them: it does so once it knows the team. */
export const areHostsNoted = (disk: Disk, { hosts }: TeamPaths): boolean => lookAt(disk, hosts) !== undefined;

const NONE = '{"version":1,"hosts":[],"placements":[]}\n';

/** Only for the relay. */
export function noteTeamHosts(disk: Disk, { hosts: path }: TeamPaths, { hosts, placements }: TeamHosts): void {
  const before = readText(disk, path, MOST_BYTES);
  const whole = `${JSON.stringify({ version: 1, hosts, placements })}\n`;
  // A role of the store may have said more than anybody reads.
  const text = whole.length > MOST_BYTES ? NONE : whole;
  if (before !== text) replaceFile(disk, path, text, randomBytes(4).toString('hex'), { durable: false });
}
