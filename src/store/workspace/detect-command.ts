/**
 * Which command builds, tests or lints the project in a directory (docs/specification.md R8.13), decided by its files.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { lookAt, type Disk } from '../files/disk.ts';
import { readText } from '../files/file.ts';

type GateName = 'build' | 'test' | 'lint';

/** The script that `npm init` writes is not a test. */
const NO_TEST = /no test specified/;

const packageSchema = z.looseObject({ scripts: z.record(z.string(), z.string()).default({}) });

const COMMANDS: readonly { readonly file: string; readonly commands: Partial<Record<GateName, string>> }[] = [
  { file: 'Cargo.toml', commands: { build: 'cargo build', test: 'cargo test', lint: 'cargo clippy' } },
  { file: 'go.mod', commands: { build: 'go build ./...', test: 'go test ./...', lint: 'go vet ./...' } },
  { file: 'pyproject.toml', commands: { test: 'pytest', lint: 'ruff check .' } },
  { file: 'pytest.ini', commands: { test: 'pytest' } },
  { file: 'tsconfig.json', commands: { build: 'tsc --noEmit' } },
];

/** @returns the command, or undefined when no file of the directory implies one */
export function detectCommand(disk: Disk, directory: string, gate: GateName): string | undefined {
  const script = npmScript(disk, directory, gate);
  if (script !== undefined) return script;
  const known = COMMANDS.find(
    ({ file, commands }) => commands[gate] !== undefined && lookAt(disk, join(directory, file)),
  );
  return known?.commands[gate] ?? makeTarget(disk, directory, gate);
}

function npmScript(disk: Disk, directory: string, gate: GateName): string | undefined {
  const text = readText(disk, join(directory, 'package.json'));
  if (text === undefined) return undefined;
  try {
    const parsed = packageSchema.safeParse(JSON.parse(text));
    const script = parsed.data?.scripts[gate];
    return script === undefined || NO_TEST.test(script) ? undefined : `npm run ${gate}`;
  } catch {
    // A package.json that is not JSON has no scripts.
    return undefined;
  }
}

const makeTarget = (disk: Disk, directory: string, gate: GateName): string | undefined =>
  new RegExp(`^${gate}[ \\t]*:`, 'm').test(readText(disk, join(directory, 'Makefile')) ?? '')
    ? `make ${gate}`
    : undefined;
