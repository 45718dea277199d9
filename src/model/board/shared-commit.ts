/** Commits that a team's store keeps, for the trees of other machines. */
import * as z from 'zod';

export const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export const commitSchema = z.string().regex(COMMIT, 'Expected the hash of a commit');

const sha256 = z.hash('sha256');

/** A commit, and the hash of the list under which the store has it. */
export const sharedCommitSchema = z.object({ commit: commitSchema, bundle: sha256 });
export type SharedCommit = z.infer<typeof sharedCommitSchema>;

/** What the pieces of a commit hold together, at most: they go through the memory of two processes and of the server. */
export const MOST_SHARED_BYTES = 64 * 1024 * 1024;
export const PIECE_BYTES = 4 * 1024 * 1024;
/** Characters of a piece, which is in base64. */
export const PIECE_LENGTH = Math.ceil(PIECE_BYTES / 3) * 4;
/** Characters of all lists that a machine reads to get one commit. */
export const MOST_LIST_LENGTH = 64 * 1024 * 1024;

export const sharedListSchema = z.object({
  commit: commitSchema,
  /** What the reader must have before; null for the first state of all. */
  on: sharedCommitSchema.nullable(),
  /** Hashes of the pieces of a pack of git, each in base64. */
  pieces: z
    .array(sha256)
    .min(1)
    .max(MOST_SHARED_BYTES / PIECE_BYTES),
  /** The project's own list of ignored files; of the first state. */
  exclude: z.string().optional(),
});
/** Where the objects of a commit are: the text that a record names by its hash. */
export type SharedList = z.infer<typeof sharedListSchema>;
