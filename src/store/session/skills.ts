/**
 * Skills: Markdown files of a project or its user that agents can load. If both have one of a name, the project's is
 * used. A project's skill may come with a clone: links are not followed, and only a trusted text is loaded.
 */
import { basename, join } from 'node:path';
import { rootPaths } from '../files/paths.ts';
import { homeDirectory } from '../user/home.ts';
import { isTrusted } from '../user/trust.ts';
import { fileNames, readProjectFile, readUserFile } from '../user/user-file.ts';

export interface Skill {
  readonly name: string;
  readonly file: string;
  /** A short description. */
  readonly about: string;
  readonly text: string;
  readonly isTrusted: boolean;
}

const ENDING = '.md';
const ABOUT = 200;

/** @throws StoreError for a skill that may not be read; UsageError for one over 4 MiB */
export function readSkills(root: string, environment: Readonly<Record<string, string | undefined>>): Skill[] {
  const xdg = environment['XDG_CONFIG_HOME'];
  const own = join(xdg?.startsWith('/') ? xdg : join(homeDirectory(environment), '.config'), 'teams', 'skills');
  const found = new Map<string, Skill>();
  for (const skill of [...projectSkills(root), ...skillsIn(own, readUserFile, () => true)])
    if (!found.has(skill.name)) found.set(skill.name, skill);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The skills that come with the project. */
export const projectSkills = (root: string): Skill[] =>
  skillsIn(join(rootPaths(root).teams, 'skills'), (path) => readProjectFile(path, root), isTrusted);

function skillsIn(
  folder: string,
  read: (path: string) => string | undefined,
  trusts: (path: string, text: string) => boolean,
): Skill[] {
  return fileNames(folder)
    .filter((file) => file.endsWith(ENDING))
    .flatMap((file) => {
      const path = join(folder, file);
      const text = read(path);
      if (text === undefined) return [];
      return [{ name: basename(file, ENDING), file: path, about: aboutOf(text), text, isTrusted: trusts(path, text) }];
    });
}

/** The `description:` of its front matter, else its first line of text or heading. */
function aboutOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const described = lines.find((line) => line.startsWith('description:'))?.slice('description:'.length);
  const first = lines.find((line) => line !== '' && line !== '---' && !/^[a-z_-]+:/.test(line));
  return (described ?? first?.replace(/^#+/, '') ?? '').trim().slice(0, ABOUT);
}
