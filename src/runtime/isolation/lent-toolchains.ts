/**
 * Finds what a program in its isolation needs of the host's toolchains: the parts of known families, the entries of PATH
 * with what their links and first lines lead to, and the program itself. What cannot be read is left out, and so is what
 * leads through the project: a clone brings its files and members write them, so they say nothing about what is lent.
 */
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import {
  CERTIFICATES,
  COMPANIONS,
  FAMILIES,
  isLent,
  isSystem,
  mayLend,
  NAMED_WHOLE,
  packagesOf,
} from '../../policy/sandbox/toolchains.ts';
import { findProgram, leadsThrough, projectsAround } from '../../os/program-path.ts';
import { entriesAt, interpreterOf, linkAt, namesIn } from '../../store/workspace/sandbox-host.ts';

interface Wanted {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The workspace. */
  readonly root: string;
  /** Paths that nothing lent may contain or be. */
  readonly secrets: readonly string[];
  /** Programs that must run inside. */
  readonly programs: readonly string[];
}

const MOST_HOPS = 16;
const MOST_FILES = 4_000;

/** @returns existing paths outside the system, none below another */
export function lentToolchains(wanted: Wanted): string[] {
  const walk = new Walk(wanted);
  walk.families();
  const path = wanted.environment['PATH'] ?? '';
  for (const entry of new Set(path.split(':').filter((one) => one.startsWith('/')))) walk.entry(entry);
  for (const program of wanted.programs) walk.follow(findProgram(program, path) ?? program);
  for (const name of CERTIFICATES) walk.lend(wanted.environment[name] ?? '');
  return walk.found();
}

class Walk {
  readonly #wanted: Wanted;
  readonly #lent = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #projects: ReadonlySet<string>;
  /** Whether a path leads through a project. */
  readonly #led = new Map<string, boolean>();

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#projects = new Set([wanted.root, ...projectsAround(wanted.root), ...projectsAround(process.cwd())]);
  }

  found(): string[] {
    return [...this.#lent].filter((one) => !isLent(dirname(one), this.#lent));
  }

  /** @returns whether the path is there inside */
  lend(path: string): boolean {
    if (isSystem(path) || isLent(path, this.#lent)) return true;
    const [real] = entriesAt(path.startsWith('/') ? [path] : []);
    if (real === undefined || ![path, real.path].every((one) => mayLend(one, this.#wanted))) return false;
    if (this.#isLed(path)) return false;
    this.#lent.add(path);
    return true;
  }

  /** The families that a variable or an entry of PATH names. */
  families(): void {
    const { environment, home } = this.#wanted;
    const entries = (environment['PATH'] ?? '').split(':');
    const used = new Set<string>();
    for (const { variable, place } of FAMILIES) {
      const root = environment[variable] ?? join(home, place);
      const isUsed = environment[variable] !== undefined || entries.some((entry) => isLent(entry, [root]));
      if (isUsed) used.add(variable).add(COMPANIONS[variable] ?? variable);
    }
    for (const { variable, place, parts } of FAMILIES.filter((one) => used.has(one.variable))) {
      const root = environment[variable] ?? join(home, place);
      for (const part of parts.length === 0 ? [''] : parts) this.lend(join(root, part));
    }
    for (const variable of NAMED_WHOLE) this.lend(environment[variable] ?? '');
  }

  /** An entry of PATH: the directory, and what its files need. */
  entry(directory: string): void {
    if (isSystem(directory) || this.#isLed(directory)) return;
    this.lend(directory);
    for (const name of namesIn(directory).slice(0, MOST_FILES)) this.follow(join(directory, name));
  }

  /** A program: the package of each hop of its link, and its interpreter. */
  follow(program: string): void {
    let file = program;
    for (let hops = 0; hops < MOST_HOPS; hops += 1) {
      if (!file.startsWith('/') || this.#seen.has(file)) return;
      this.#seen.add(file);
      // Where the file itself leads is seen by its link.
      if (this.#isLed(dirname(file))) return;
      if (!isLent(file, this.#lent) && !isSystem(file)) packagesOf(file).some((one) => this.lend(one));
      const target = linkAt(file);
      if (target === undefined) break;
      file = resolve(dirname(file), target);
    }
    // A directory of the path may be a link as well.
    const [real] = entriesAt([file]);
    if (real === undefined || real.isDirectory || isSystem(real.path)) return;
    if (!isLent(real.path, this.#lent)) packagesOf(real.path).some((one) => this.lend(one));
    const [interpreter = '', named = ''] = interpreterOf(real.path);
    if (interpreter.endsWith('/env')) this.follow(findProgram(named, this.#wanted.environment['PATH'] ?? '') ?? '');
    else this.follow(interpreter);
  }

  #isLed(path: string): boolean {
    const known = this.#led.get(path);
    if (known !== undefined) return known;
    const isLed = [...this.#projects].some((project) => leadsThrough(path, project));
    this.#led.set(path, isLed);
    return isLed;
  }
}
