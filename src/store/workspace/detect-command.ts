/**
 * Which command builds, tests or lints the project in a directory (docs/specification.md R8.13), decided by its files.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { regularBytes } from '../files/regular-file.ts';

type GateName = 'build' | 'test' | 'lint';

/** The script that `npm init` writes is not a test. */
const NO_TEST = /no test specified/;

const packageSchema = z.looseObject({ scripts: z.record(z.string(), z.string()).default({}) });

interface Known {
  readonly file: string;
  readonly commands: Partial<Record<GateName, string>>;
}

/** What each project of the language has. */
const CERTAIN: readonly Known[] = [
  { file: 'Cargo.toml', commands: { build: 'cargo build', test: 'cargo test', lint: 'cargo clippy' } },
  { file: 'go.mod', commands: { build: 'go build ./...', test: 'go test ./...', lint: 'go vet ./...' } },
];

/** What many projects with such a file have: the project's own Makefile knows better. */
const USUAL: readonly Known[] = [
  { file: 'pyproject.toml', commands: { test: 'pytest', lint: 'ruff check .' } },
  { file: 'pytest.ini', commands: { test: 'pytest' } },
  { file: 'tsconfig.json', commands: { build: 'tsc --noEmit' } },
];

/** @returns the command, or undefined when no file of the directory implies one */
export function detectCommand(disk: Disk, directory: string, gate: GateName): string | undefined {
  const script = npmScript(directory, gate);
  if (script !== undefined) return script;
  const has = (file: string): boolean => lookAt(disk, join(directory, file)) !== undefined;
  const from = (known: readonly Known[]): string | undefined =>
    known.flatMap(({ file, commands }) => (has(file) ? (commands[gate] ?? []) : []))[0];
  return from(CERTAIN) ?? makeTarget(disk, directory, gate) ?? from(USUAL);
}

/** A larger file is none that people write. Members may have put anything in its place: a pipe, a link, a sparse file. */
const LARGEST = 4 * 1024 * 1024;

const textOf = (path: string): string | undefined => regularBytes(path, LARGEST)?.toString('utf8');

function npmScript(directory: string, gate: GateName): string | undefined {
  const text = textOf(join(directory, 'package.json'));
  if (text === undefined) return undefined;
  const script = packageSchema.safeParse(jsonOf(text)).data?.scripts[gate];
  return script === undefined || NO_TEST.test(script) ? undefined : `npm run ${gate}`;
}

/** What a gate's target is called, in this order. */
const TARGETS: Readonly<Record<GateName, readonly string[]>> = {
  build: ['build', 'all'],
  test: ['test', 'check'],
  lint: ['lint'],
};

/** The names that make looks for, in its order. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

function makeTarget(disk: Disk, directory: string, gate: GateName): string | undefined {
  const file = MAKEFILES.find((name) => lookAt(disk, join(directory, name)) !== undefined);
  const text = file === undefined ? undefined : textOf(join(directory, file));
  const targetsOf = (line: string): string[] => {
    const colon = line.indexOf(':');
    // Neither a recipe nor an assignment such as `test := unit`.
    if (colon < 1 || /^[\t#]/.test(line) || /^:{0,2}=/.test(line.slice(colon + 1))) return [];
    return line.slice(0, colon).trim().split(/\s+/);
  };
  const known = new Set(text?.split(/\r?\n/).flatMap(targetsOf));
  const target = TARGETS[gate].find((name) => known.has(name));
  return target === undefined ? undefined : `make ${target}`;
}
