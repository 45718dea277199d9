/**
 * Which processes of a team run on other machines. Each has a lease in the store; the relay writes here what it knows of
 * them. Their pids mean nothing on this machine: such a process is judged by its lease, and never signalled.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import * as z from 'zod';
import { processIdentitySchema } from '../../model/agent/process-identity.ts';
import { folderIdentitySchema, isSameFolder, type FolderIdentity } from '../../model/team/folder-identity.ts';
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { memberSchema, type Name } from '../../model/text/names.ts';
import { ownIdentity } from '../../os/process-table.ts';
import type { Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import type { TeamPaths } from '../files/paths.ts';
import { replicaOf } from './replica-root.ts';

const holderSchema = processIdentitySchema.extend({
  /** Milliseconds since 1970, by the clock of its machine. */
  since: z.number(),
  /** The replica that it serves. */
  folder: folderIdentitySchema,
  machine: z.string().regex(/^[A-Za-z0-9._-]{1,255}$/),
  /** Whether a lead may start it anew; absent in leases of earlier versions. */
  startedBy: z.enum(['lead', 'person']).optional(),
});
/** Who has a lease of the store: a process of a machine. */
export type LeaseHolder = z.infer<typeof holderSchema>;

/** What the store keeps as the owner of a lease: the same text for each renewal. */
export const holderText = (folder: FolderIdentity, since: number, startedBy?: 'lead' | 'person'): string =>
  JSON.stringify({ ...ownIdentity(), since, folder, machine: machineName(), startedBy } satisfies LeaseHolder);

export const machineName = (): string =>
  hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 255) || 'unknown';

/** @returns undefined for the owner of another program */
export function holderIn(text: string): LeaseHolder | undefined {
  const read = jsonAnswer(holderSchema, text);
  return read.ok ? read.value : undefined;
}

/** Whether a holder works in this replica. One of another boot is no process of this machine any more. */
export const isHere = ({ bootId, folder }: LeaseHolder, here: FolderIdentity): boolean =>
  bootId === ownIdentity().bootId && isSameFolder(folder, here);

/** A process of a member, or of the lead, on another machine. It has no pid that means anything here. */
export interface ProcessElsewhere {
  readonly where: 'elsewhere';
  readonly name: Name;
  /** Of its own machine: for people. */
  readonly pidThere: number;
  readonly machine: string;
  /** Milliseconds since 1970, by the clock of its machine. */
  readonly since: number;
  /** Undefined if an earlier version, which does not say it, started it. */
  readonly startedBy?: 'lead' | 'person' | undefined;
}

const MOST_BYTES = 1024 * 1024;
/** They fit into that. A role of the store may have a lease of any name. */
const MOST_PROCESSES = 2_000;

const fileSchema = z.object({
  version: z.literal(1),
  processes: z.array(
    z.object({
      name: memberSchema,
      pidThere: z.number(),
      machine: z.string(),
      since: z.number(),
      startedBy: z.enum(['lead', 'person']).optional(),
    }),
  ),
});

/** As the relay knows them; none in a team that is not in a store, where a pull or a program may have put that file. */
export function processesElsewhere(disk: Disk, { elsewhere, root }: TeamPaths): ReadonlyMap<Name, ProcessElsewhere> {
  const text = readText(disk, elsewhere, MOST_BYTES);
  if (text !== undefined && replicaOf(disk, root) === undefined) return new Map();
  const read = text === undefined ? undefined : jsonAnswer(fileSchema, text);
  const known = read?.ok === true ? read.value.processes : [];
  return new Map(known.map((one) => [one.name, { where: 'elsewhere', ...one }]));
}

/** Only for the relay. */
export function noteElsewhere(disk: Disk, { elsewhere }: TeamPaths, processes: readonly ProcessElsewhere[]): void {
  const known = processes.slice(0, MOST_PROCESSES).map(({ where: _, ...one }) => one);
  const text = `${JSON.stringify({ version: 1, processes: known })}\n`;
  if (readText(disk, elsewhere, MOST_BYTES) === text) return;
  replaceFile(disk, elsewhere, text, randomBytes(4).toString('hex'), { durable: false });
}

const toldSchema = z.object({ elsewhere: z.object({ machine: z.string(), number: z.number().int() }) });

/** The number in the store of an event that another machine told; undefined for one of this machine. */
export const numberElsewhere = (event: unknown): number | undefined =>
  toldSchema.safeParse(event).data?.elsewhere.number;
