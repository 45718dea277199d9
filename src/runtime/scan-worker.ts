/** The thread that looks for a project's files. A bundle of its own, which piscina starts. */
import { walkProject, type Walked } from '../store/project-walk.ts';

export interface Scan {
  readonly cwd: string;
  readonly most: number;
}

export default function scan({ cwd, most }: Scan): Walked {
  return walkProject(cwd, most);
}
