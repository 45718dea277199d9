/** What a person lends to programs in their isolation, besides what they get anyway: the key `sandbox.lend`. */
import * as z from 'zod';
import { closed } from '../text/document-problem.ts';

const lentPath = z
  .string()
  .max(4_096)
  .regex(/^(?:\/|~\/)[^\p{Cc}]+$/u, 'Expected an absolute path, or one that begins with `~/`.')
  .refine((path) => !path.split('/').includes('..'), 'Expected a path without `..`.');
const paths = z.array(lentPath).max(100).default([]);

export const lendSchema = closed({
  /** Files and directories that can be read. */
  read: paths,
  /** Files and directories that can be changed as well. */
  write: paths,
  /** Unix sockets that programs may connect to. */
  sockets: paths,
});
export type Lend = z.infer<typeof lendSchema>;

/** Absent: nothing is lent. */
export const joinedLend = (...all: readonly (Lend | undefined)[]): Lend => ({
  read: all.flatMap((one) => one?.read ?? []),
  write: all.flatMap((one) => one?.write ?? []),
  sockets: all.flatMap((one) => one?.sockets ?? []),
});

export const lendsNothing = ({ read, write, sockets }: Lend): boolean =>
  read.length + write.length + sockets.length === 0;

/** For people, in one line. */
export const lendText = ({ read, write, sockets }: Lend): string =>
  [
    ...read.map((path) => `${path} (read)`),
    ...write.map((path) => `${path} (write)`),
    ...sockets.map((path) => `${path} (socket)`),
  ].join(', ');
