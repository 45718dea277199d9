/**
 * Where hooks and subscribers run (`policy/sandbox/own-command.ts`). While a member is held by a sandbox, a command that
 * names something of the workspace runs there, isolated as gates are; any other runs as the user outside of the
 * workspace, and finds no program of the project.
 */
import { isAbsolute, join } from 'node:path';
import process from 'node:process';
import type { Command } from '../../model/agent/agent.ts';
import type { Config } from '../../model/config/config.ts';
import type { Lend } from '../../model/team/lend.ts';
import { notEnforcedEvent } from '../../model/team/not-enforced.ts';
import { ENV } from '../../model/text/environment.ts';
import { judgedAs, writersOf } from '../../policy/sandbox/judged-work.ts';
import { namedPaths } from '../../policy/sandbox/own-command.ts';
import type { IsolationSetting } from '../../policy/sandbox/shell-isolation.ts';
import { findProgram, leadsThrough, pathOutside } from '../../os/program-path.ts';
import { cwdOf } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { entriesAt, realPath } from '../../store/workspace/sandbox-host.ts';
import { isBelow } from '../isolation/lent-paths.ts';
import { JUDGED_HINT, openJudging } from '../isolation/judging-isolation.ts';
import type { CommandPlace } from '../team/hooks.ts';

interface OwnPlacesEnvironment {
  readonly store: TeamStore;
  readonly gates?: Partial<Config['gates']> | undefined;
  readonly isolation?: IsolationSetting | undefined;
  readonly lend?: Lend | undefined;
}

/** What a lead's options say of such commands. */
type OwnCommands = Omit<OwnPlacesEnvironment, 'store'> & {
  readonly hooks?: Config['hooks'];
  readonly subscribers?: Config['subscribers'];
};

const OUTSIDE_HINT =
  'it ran outside of the workspace, which members may write; a command that names a path of the workspace, such as ' +
  '`./notify.sh` or `$TEAMS_ROOT`, runs there, isolated';

export class OwnPlaces {
  readonly #environment: OwnPlacesEnvironment;
  /** Files of the workspace that commands named when the lead began: what members make later does not count. */
  readonly #files: ReadonlySet<string>;
  /** What is said to be not enforced: once each, since a subscriber may get that event. */
  readonly #said = new Set<string>();

  constructor(environment: OwnPlacesEnvironment, commands: readonly Command[]) {
    this.#environment = environment;
    const root = cwdOf(environment.store);
    const words = commands.flatMap((command) => namedPaths(command, this.#surroundings(root)).plain);
    this.#files = new Set(words.filter((word) => isFile(join(root, word))));
  }

  /**
   * @param what runs, for people
   * @throws AgentError `AGENT_UNAVAILABLE` if isolation is required and does not work; StoreError `UNTRUSTED`
   */
  async of(what: string, command: Command): Promise<CommandPlace> {
    const { store, gates, isolation: setting = 'auto', lend } = this.#environment;
    const { sandbox = 'auto', network = false } = gates ?? {};
    const [cwd, path] = [cwdOf(store), process.env['PATH'] ?? '/usr/bin:/bin'];
    const config = store.config.readOwn();
    if (judgedAs(writersOf(config), setting).kind === 'free') return { cwd, path };
    if (sandbox !== 'off' && !this.#namesWorkspace(command, cwd, path))
      return { cwd: outsideOf(cwd), path: pathOutside(path, cwd), hint: OUTSIDE_HINT };
    const { isIsolated, wrap, notEnforced } = await openJudging({
      what,
      config,
      cwd,
      environment: process.env,
      rules: { setting, sandbox, network },
      lend,
      team: [store.paths.folder, store.paths.board],
    });
    if (notEnforced !== undefined && !this.#said.has(what)) store.events.append(notEnforcedEvent(notEnforced));
    this.#said.add(what);
    return { cwd, path, wrap, hint: isIsolated ? JUDGED_HINT : undefined };
  }

  #namesWorkspace(command: Command, cwd: string, path: string): boolean {
    const named = namedPaths(command, this.#surroundings(cwd));
    if (named.namesWorkspace || named.plain.some((word) => this.#files.has(word))) return true;
    const programs = named.plain.flatMap((word) => findProgram(word, pathOutside(path, cwd)) ?? []);
    const real = realPath(cwd);
    return [...named.absolute, ...programs].some((one) => leadsThrough(one, real));
  }

  #surroundings(cwd: string) {
    const { root } = this.#environment.store.paths;
    const { HOME = '' } = process.env;
    const variables = { ...process.env, [ENV.root]: root, PWD: cwd };
    return { roots: [...new Set([cwd, realPath(cwd), root, realPath(root)])], home: HOME, variables };
  }
}

/** The user's home, or the top directory if the home itself can be written by members. */
function outsideOf(workspace: string): string {
  const { HOME = '' } = process.env;
  const isThere = isAbsolute(HOME) && entriesAt([HOME]).some(({ isDirectory }) => isDirectory);
  return isThere && !isBelow(realPath(HOME), realPath(workspace)) ? HOME : '/';
}

const isFile = (path: string): boolean => entriesAt([path]).some(({ isDirectory }) => !isDirectory);

/** Of the commands in a lead's options. */
export function ownPlaces(store: TeamStore, options: OwnCommands): OwnPlaces {
  const { gates, isolation, lend, hooks = {}, subscribers = {} } = options;
  const commands = [...Object.values(hooks), ...Object.values(subscribers)].filter((one) => one !== undefined);
  return new OwnPlaces({ store, gates, isolation, lend }, commands);
}
