import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '..', '..', '..', 'src');

/** The files that are loaded with this one, whatever is imported later. */
function loadedWith(root: string): Set<string> {
  const seen = new Set<string>();
  const todo = [join(SRC, root)];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (seen.has(path) || !existsSync(path)) continue;
    seen.add(path);
    for (const [, from = ''] of readFileSync(path, 'utf8').matchAll(
      /^(?:import|export) (?!type )(?:[^;]*? from )?'(\.[^']+)';/gm,
    ))
      todo.push(join(dirname(path), from));
  }
  return new Set([...seen].map((path) => relative(SRC, path)));
}

const isOfTrees = (path: string): boolean =>
  path.startsWith('runtime/trees/') ||
  path.startsWith('runtime/runs/apply/') ||
  (path.startsWith('runtime/landing/') && path !== 'runtime/landing/gates.ts');

it.each([
  ['a teammate', 'runtime/teammate/teammate-main.ts', 'runtime/teammate/runner.ts'],
  ['the lead of a run', 'runtime/runs/run.ts', 'runtime/runs/integration.ts'],
  ['a resume', 'runtime/runs/lifecycle.ts', 'runtime/runs/session.ts'],
  ['a task that is divided', 'runtime/runs/task-run.ts', 'runtime/runs/plan/planning.ts'],
  ['a refine loop', 'runtime/runs/refine/run-refine.ts', 'runtime/runs/refine/relay-team.ts'],
  ['a pipeline', 'runtime/runs/pipeline/pipeline-run.ts', 'runtime/runs/trees-for.ts'],
  ['what teams prune looks at', 'runtime/setup/prune.ts', 'runtime/setup/lost-refs.ts'],
])('%s loads no module of trees before a team has trees', (_, root, known) => {
  const loaded = loadedWith(root);
  expect(loaded).toContain(known);
  expect([...loaded].filter(isOfTrees)).toEqual([]);
});

const isOfStores = (path: string): boolean =>
  path.startsWith('store/engine/') ||
  (path.startsWith('runtime/relay/') && path !== 'runtime/relay/new-team.ts') ||
  /^store\/replica\/(?:relay|shared)/.test(path);

it.each([
  ['a teammate', 'runtime/teammate/teammate-main.ts'],
  ['the lead of a run', 'runtime/runs/run.ts'],
  ['a resume', 'runtime/runs/lifecycle.ts'],
  ['what a person does to a team', 'runtime/runs/close-team.ts'],
])('%s loads no module of a store before a team is in one', (_, root) => {
  const loaded = loadedWith(root);
  expect(loaded).toContain('store/replica/replica-root.ts');
  expect([...loaded].filter(isOfStores)).toEqual([]);
});

it('the look at imports sees the modules of trees where they are loaded', () => {
  expect([...loadedWith('runtime/landing/open-landing.ts')].filter(isOfTrees)).toContain('runtime/trees/vault.ts');
});
