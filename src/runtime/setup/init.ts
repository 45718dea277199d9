/** Sets up a project: first lists what would be written, then writes it. */
import { dirname, join, relative } from 'node:path';
import { CONFIG_KEY_HELP } from '../../model/config/config-key-help.ts';
import { configKeys, configSchema } from '../../model/config/config.ts';
import { excludeFromGit, missingExclusion } from '../../store/workspace/exclude.ts';
import { rootPaths } from '../../store/files/paths.ts';
import { requireOwnProject } from '../../store/team/create-store.ts';
import { trustFile } from '../../store/user/trust.ts';
import { readUserFile } from '../../store/user/user-file.ts';
import { createUserFile } from '../../store/user/user-file-writer.ts';
import { schemaFile } from '../process/package.ts';
import { firstPlan, firstTasks, OWN_PLAN } from './first-plan.ts';

interface InitChange {
  readonly file: string;
  readonly what: string;
}

/** What {@link initProject} would change; empty if everything exists. */
export function initPlan(root: string): InitChange[] {
  const { config } = rootPaths(root);
  const exclusion = missingExclusion(root);
  const plan = join(root, OWN_PLAN);
  return [
    ...(readUserFile(plan) === undefined ? [{ file: plan, what: planWords(root) }] : []),
    ...(readUserFile(config) === undefined
      ? [{ file: config, what: 'the configuration, every key commented out with its default' }]
      : []),
    ...(exclusion !== undefined && exclusion.missing.length > 0
      ? [
          {
            file: exclusion.file,
            what: 'from now on git ignores the folders of teams; configuration and roles can be committed',
          },
        ]
      : []),
  ];
}

function planWords(root: string): string {
  const { tasks, leftOut } = firstTasks(root);
  const keys = tasks.map(({ key }) => key).join(', ');
  const missing = leftOut.length === 0 ? '' : `; without ${leftOut.join(', ')}: not on the PATH`;
  return `a plan with ${tasks.length === 1 ? 'the task' : 'the tasks'} ${keys}${missing}`;
}

/**
 * Writes the files. An existing configuration stays as it is.
 * @returns a warning, if git could not be told
 */
export function initProject(root: string): string | undefined {
  requireOwnProject(root);
  const { config } = rootPaths(root);
  createUserFile(join(root, OWN_PLAN), firstPlan(root));
  const text = configText(root);
  // Trusts what it wrote, not what is there by now.
  if (createUserFile(config, text)) trustFile(config, text);
  return excludeFromGit(root).warning;
}

/** Every key with its meaning and its default, commented out; a key without a default has its example. */
function configText(root: string): string {
  const defaults: Readonly<Record<string, unknown>> = configSchema.parse({});
  const lines = configKeys().flatMap((key) => ['', ...commentOf(key), `# ${key}: ${sampleOf(key, defaults[key])}`]);
  return [
    ...schemaLine(root),
    '# Configuration of teams for this project. Command line flags and TEAMS_<KEY> variables override it; it overrides the',
    '# same file in $XDG_CONFIG_HOME/teams. `teams config show --origin` shows the values in use. After an edit that sets',
    '# commands, addresses or environment, `teams doctor --trust` confirms that you made the edit.',
    ...lines,
    '',
  ].join('\n');
}

/** Only where the program is a package of the project: the file can be committed, and other machines have other paths. */
function schemaLine(root: string): string[] {
  const path = relative(dirname(rootPaths(root).config), schemaFile('config'));
  return path.startsWith('../node_modules/') ? [`# yaml-language-server: $schema=${path}`] : [];
}

function commentOf(key: string): string[] {
  const { text = '', otherwise } = CONFIG_KEY_HELP[key] ?? {};
  const inner = Object.entries(CONFIG_KEY_HELP).filter(([path]) => path.startsWith(`${key}.`) && !path.includes('*'));
  return [
    `## ${text}${otherwise === undefined ? '' : ` Default: ${otherwise}.`}`,
    ...inner.map(([path, help]) => `##   ${path.slice(key.length + 1)}: ${help.text}`),
  ];
}

const sampleOf = (key: string, value: unknown): string =>
  JSON.stringify(value ?? CONFIG_KEY_HELP[key]?.example ?? null);
