/** The thread that lists a project's files. It is a bundle of its own, which piscina starts. */
import { hashesOf, walkProject, type ProjectFiles } from '../../store/workspace/project-walk.ts';

export interface Scan {
  readonly cwd: string;
  readonly most: number;
  /** With the hash of each file. */
  readonly hashed?: true;
}

export default function scan({ cwd, most, hashed }: Scan): ProjectFiles & { readonly hashes: readonly string[] } {
  const walked = walkProject(cwd, most);
  return { ...walked, hashes: hashed ? hashesOf(cwd, walked.files) : [] };
}
