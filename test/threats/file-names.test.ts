/** Files whose names hold what a terminal obeys, or a line of their own: made by members, shown and undone by teams. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Workplace } from '../support/cli.ts';

/** An escape sequence, a new line with a forged one behind it, an override of the direction, a C1 control, an option. */
const NAMES = [
  'a\u001b[2Jb',
  'c\n[DONE] #9: forged',
  'd\u202ee',
  'f\u009b2Jg',
  '--force',
  '-rf',
  ' h ',
  'i"j\\k',
  '$(touch owned)',
  '`touch owned`',
];
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

it.each(['off', 'trees'])(
  'are shown in one line without a control sequence, land whole, and are undone (isolation: %s)',
  { timeout: 120_000 },
  async (isolation) => {
    const place = new Workplace();
    const cwd = join(place.root, 'project');
    mkdirSync(cwd);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...args], { cwd, encoding: 'utf8' });
    git('init', '-q');
    place.put('project/kept', 'kept\n');
    git('add', '.');
    git('commit', '-qm', 'one');
    place.put('names.json', JSON.stringify(NAMES));
    const make = `node -e 'for (const name of JSON.parse(fs.readFileSync("${place.root}/names.json", "utf8"))) fs.writeFileSync(name, name)'`;
    const plan = {
      name: 'crew',
      isolation,
      members: [{ name: 'ada', agent: { kind: 'exec' } }],
      tasks: [{ subject: 'Make', owner: 'ada', run: make }],
    };
    place.put('plan.json', JSON.stringify(plan));
    const seen: string[] = [];
    const say = async (...argv: string[]) => {
      const { code, out, err } = await place.say(argv, { cwd });
      seen.push(`$ ${argv.join(' ')} -> ${String(code)}\n${out}${err}`);
      return { code, out, err };
    };
    expect((await say('run', join(place.root, 'plan.json'))).code, seen.join('')).toBe(0);
    for (const argv of [
      ['status', 'crew'],
      ['log', 'crew'],
      ['report', 'crew'],
      ['why', 'crew'],
      ['task', 'get', 'crew', '1'],
    ])
      await say(...argv);
    if (isolation === 'trees') expect((await say('apply', 'crew', '--yes')).code, seen.join('')).toBe(0);
    const there = (): string[] =>
      readdirSync(cwd)
        .filter((name) => NAMES.includes(name))
        .sort();
    expect(there()).toEqual([...NAMES].sort());
    for (const name of NAMES) expect(readFileSync(join(cwd, name), 'utf8')).toBe(name);
    for (const argv of [
      ['diff', 'crew'],
      ['diff', 'crew', '--json'],
      ['undo', 'crew'],
      ['undo', 'crew', '--json'],
      ['undo', 'crew', '--yes'],
    ])
      await say(...argv);
    const shown = seen.join('\n');
    expect(there(), shown).toEqual([]);
    expect(shown.split('\n').filter((line) => OBEYED.test(line))).toEqual([]);
    expect(shown.split('\n').filter((line) => line.startsWith('[DONE] #9'))).toEqual([]);
    expect(existsSync(join(cwd, 'owned'))).toBe(false);
    const report = readdirSync(join(cwd, '.teams/crew'))
      .filter((file) => file.endsWith('.md'))
      .map((file) => readFileSync(join(cwd, '.teams/crew', file), 'utf8'))
      .join('\n');
    expect(report.split('\n').filter((line) => OBEYED.test(line) || line.startsWith('[DONE] #9'))).toEqual([]);
  },
);
