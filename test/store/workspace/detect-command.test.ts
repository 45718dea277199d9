/** Which build, test and lint commands are detected from the files of a project. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { detectCommand } from '../../../src/store/workspace/detect-command.ts';
import { realDisk } from '../../../src/store/files/disk.ts';
import { tempDir } from '../../support/temp.ts';

const npm = (scripts: Record<string, string>): string => JSON.stringify({ scripts });

it.each<[Record<string, string>, (string | undefined)[]]>([
  [{}, [undefined, undefined, undefined]],
  [{ 'package.json': npm({ build: 'x', test: 'y', lint: 'z' }) }, ['npm run build', 'npm run test', 'npm run lint']],
  [{ 'package.json': npm({ test: 'echo "Error: no test specified" && exit 1' }) }, [undefined, undefined, undefined]],
  [{ 'package.json': '{', 'Cargo.toml': '' }, ['cargo build', 'cargo test', 'cargo clippy']],
  [{ 'go.mod': '' }, ['go build ./...', 'go test ./...', 'go vet ./...']],
  [{ 'pyproject.toml': '' }, [undefined, 'pytest', 'ruff check .']],
  [{ 'package.json': npm({ test: 'y' }), 'tsconfig.json': '{}' }, ['tsc --noEmit', 'npm run test', undefined]],
  [{ Makefile: 'build: a\n\ntest:\n\techo\nlinter:\n' }, ['make build', 'make test', undefined]],
  [
    { 'pyproject.toml': '', Makefile: '.PHONY: test\ntest lint: all\n\ttrue\nbuild := out\n' },
    [undefined, 'make test', 'make lint'],
  ],
  [{ 'Cargo.toml': '', Makefile: 'test:\n' }, ['cargo build', 'cargo test', 'cargo clippy']],
  [{ GNUmakefile: 'build::\n' }, ['make build', undefined, undefined]],
  [{ Makefile: 'all: prog\ncheck: prog\n\t./prog\n' }, ['make all', 'make check', undefined]],
  [{ Makefile: 'all: build test\nbuild:\ntest:\ncheck:\n' }, ['make build', 'make test', undefined]],
])('%j gives the commands %j', (files, commands) => {
  const directory = tempDir();
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text);
  const told = (['build', 'test', 'lint'] as const).map((gate) => detectCommand(realDisk, directory, gate));
  expect(told).toEqual(commands);
});
