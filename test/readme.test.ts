/** What the README shows is true: its plan, its Python writer, its commands. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parsePlan } from '../src/index.ts';
import { runTeams } from './support/teams-command.ts';
import { tempDir } from './support/temp.ts';

const README = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');

/** The fenced blocks of one language, in their order. */
const blocks = (language: string): string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, body]) => body ?? '');

describe('the README', () => {
  it('shows a plan that is one', () => {
    const [text = ''] = blocks('yaml');
    const plan = parsePlan({ text, file: 'plan.yaml', format: 'yaml' });
    expect(plan.tasks.map(({ key }) => key)).toEqual(['greet', 'review']);
  });

  it('shows a Python writer whose line a running command reads', async () => {
    const root = tempDir();
    const state = { XDG_STATE_HOME: join(root, 'state') };
    await runTeams(['create', 'hello', '--member', 'ada'], { cwd: root, env: state });
    writeFileSync(join(root, 'writer.py'), blocks('python')[0] ?? '');
    await promisify(execFile)('python3', [join(root, 'writer.py')], { cwd: root });
    const { stdout } = await runTeams(['inbox', 'hello', 'ada', '--json'], { cwd: root, env: state });
    expect(JSON.parse(stdout)).toMatchObject({ messages: [{ type: 'message', sender: 'me', content: 'hi' }] });
  });

  it('names only verbs that there are', async () => {
    const { stdout } = await runTeams(['--help'], { cwd: tempDir() });
    const named = new Set([...README.matchAll(/`teams ([a-z]+)/g)].map(([, verb]) => verb ?? ''));
    expect([...named].filter((verb) => !stdout.includes(`  ${verb} `))).toEqual([]);
    const { stdout: board } = await runTeams(['task', '--help'], { cwd: tempDir() });
    const ofTheBoard = [...README.matchAll(/`teams task ([a-z]+)/g)].map(([, verb]) => verb ?? '');
    expect(ofTheBoard).toEqual(expect.arrayContaining(['approve', 'refuse']));
    expect(ofTheBoard.filter((verb) => !board.includes(`  ${verb} `))).toEqual([]);
  });
});
