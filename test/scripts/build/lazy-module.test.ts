/** Modules that are compiled for programs that run once and end. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';

const { lazyModule } = (await import(
  pathToFileURL(join(import.meta.dirname, '../../../scripts/build/lazy-module.mjs')).href
)) as { lazyModule: (text: string, file: string) => string };

type Exports = Record<string, unknown>;

const call = (value: unknown, ...argv: unknown[]): unknown => (value as (...given: unknown[]) => unknown)(...argv);

/** Evaluates a compiled module. `asked` receives the path of each module that it evaluates. */
function evaluate(text: string, modules: Readonly<Record<string, Exports>> = {}, asked: string[] = []): Exports {
  const exports: Exports = {};
  const require = (path: string): Exports => {
    asked.push(path);
    return modules[path] ?? {};
  };
  const wrapped = new Script(`(exports, require) => {'use strict';${lazyModule(text, 'example.js')}\n}`);
  call(wrapped.runInThisContext(), exports, require);
  return exports;
}

describe('a module that is compiled for a program that ends', () => {
  it('evaluates what it imports at the first use, and once', () => {
    const asked: string[] = [];
    const { twice } = evaluate(
      `import { one, two as other } from './a.ts';\nimport * as b from './b.ts';\nexport const twice = () => one() + one() + other + b.three;`,
      { './a.ts': { one: () => 1, two: 2 }, './b.ts': { three: 3 } },
      asked,
    );
    expect(asked).toEqual([]);
    expect(call(twice)).toBe(7);
    expect(call(twice)).toBe(7);
    expect(asked).toEqual(['./a.ts', './b.ts']);
  });

  it('evaluates a module that is imported for its effect at once', () => {
    const asked: string[] = [];
    evaluate(`import './effect.ts';`, {}, asked);
    expect(asked).toEqual(['./effect.ts']);
  });

  it('calls an imported function without a receiver', () => {
    const f = function (this: unknown): unknown {
      return this;
    };
    const { run, tag } = evaluate(
      `import { f } from './a.ts';\nexport const run = () => f();\nexport const tag = () => f\`x\`;`,
      {
        './a.ts': { f },
      },
    );
    expect([call(run), call(tag)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['a parameter', 'export const f = (x) => x;', [1], 1],
    ['a default', 'export const f = (y = x) => y;', [], 'imported'],
    ['a local constant', 'export function f() { const x = 2; return x; }', [], 2],
    ['a pattern', 'export const f = ({ x }) => x;', [{ x: 3 }], 3],
    ['a renamed key of a pattern', 'export const f = ({ x: y }) => [x, y];', [{ x: 4 }], ['imported', 4]],
    ['the variable of a loop', 'export function f(list) { for (const x of list) return x; }', [[5]], 5],
    ['the variable of a catch', 'export function f() { try { throw 6; } catch (x) { return x; } }', [], 6],
    ['a function in a block', 'export function f() { { function x() {} } return x; }', [], 'imported'],
    ['a local function', 'export function f() { return typeof x; function x() {} }', [], 'function'],
    ['a shorthand', 'export const f = () => ({ x });', [], { x: 'imported' }],
    ['a key', 'export const f = () => ({ x: 7 }).x;', [], 7],
    ['a case', 'export function f() { switch (1) { case 1: const x = 8; return x; } }', [], 8],
    ['a class', 'export const f = () => new (class { x = x; y() { return this.x; } })().y();', [], 'imported'],
  ])('knows %s from an imported name', (_, text, argv, result) => {
    const { f } = evaluate(`import { x } from './a.ts';\n${text}`, { './a.ts': { x: 'imported' } });
    expect(call(f, ...argv)).toEqual(result);
  });

  it('extends and constructs imported classes', () => {
    class Base {
      readonly name = 'base';
    }
    const { Own, make } = evaluate(
      `import { Base } from './a.ts';\nexport class Own extends Base {}\nexport const make = () => new Base();`,
      { './a.ts': { Base } },
    );
    expect(Reflect.construct(Own as new () => unknown, [])).toBeInstanceOf(Base);
    expect(call(make)).toBeInstanceOf(Base);
  });

  it('makes a schema at its first use, and once, in other modules, too', () => {
    let made = 0;
    const z = { object: (shape: unknown) => ({ number: (made += 1), shape, optional: () => 'optional' }) };
    const asked: string[] = [];
    const module = evaluate(
      `import * as z from 'zod';\nexport const nameSchema = z.object({});\nconst many = nameSchema.optional();\nexport const use = () => [nameSchema, many];`,
      { zod: z },
      asked,
    );
    expect([made, asked]).toEqual([0, []]);
    expect(call(module['use'])).toEqual([module['nameSchema'], 'optional']);
    expect(made).toBe(1);
  });

  it.each([
    ['a list of schemas', 'const all = [z.object({}), nameSchema];'],
    ['an object of schemas', 'const all = { one: z.object({}), two: [z.object({})] };'],
    ['what spreads one', 'const few = { one: z.object({}) };\nconst all = { ...few, two: z.object({}) };'],
    ['what makes one', 'const all = closed({ one: 1 });'],
  ])('makes %s at its first use', (_, text) => {
    let made = 0;
    const modules = {
      zod: { object: () => (made += 1) },
      './a.ts': { closed: () => (made += 1), nameSchema: 'name' },
    };
    const imports = `import * as z from 'zod';\nimport { closed, nameSchema } from './a.ts';\n`;
    const { use } = evaluate(`${imports}${text}\nexport const use = () => all;`, modules);
    expect(made).toBe(0);
    expect(call(use)).toBe(call(use));
    expect(made).toBeGreaterThan(0);
  });

  it.each([
    ['a list with anything else in it', 'const all = [z.object({}), sideEffect()];'],
    ['an empty list', 'const all = [];'],
  ])('makes %s at once', (_, text) => {
    let done = 0;
    const modules = { zod: { object: () => 1 }, './a.ts': { sideEffect: () => (done += 1) } };
    const imports = `import * as z from 'zod';\nimport { sideEffect } from './a.ts';\n`;
    const { use } = evaluate(`${imports}${text}\nexport const use = () => all;`, modules);
    expect(done).toBe(text.includes('sideEffect') ? 1 : 0);
    expect(call(use)).toBe(call(use));
  });

  it('exports names of other modules, which it evaluates at their first use', () => {
    const asked: string[] = [];
    const module = evaluate(
      `export { a, b as c } from './a.ts';\nimport { d } from './d.ts';\nexport { d as e };`,
      { './a.ts': { a: 1, b: 2 }, './d.ts': { d: 3 } },
      asked,
    );
    expect(asked).toEqual([]);
    expect([module['a'], module['c'], module['e']]).toEqual([1, 2, 3]);
  });

  it.each([`export * from './a.ts';`, `export default 1;`, `export * as a from './a.ts';`])(
    'refuses %s, which it does not know, with its place',
    (text) => {
      expect(() => lazyModule(`\n${text}`, 'example.js')).toThrow('example.js:2: ');
    },
  );
});
