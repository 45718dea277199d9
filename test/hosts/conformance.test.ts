/**
 * The protocol's own conformance suite against `teams mcp --http`. Each scenario runs or is named with its reason in
 * docs/mcp.md. `npm run test:hosts` installs the suite, and a Node that it runs on, first.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { Workplace } from '../support/cli.ts';
import { greatTeam, memberAt } from '../support/great-team.ts';
import { HttpServer } from '../support/mcp-http-server.ts';
import { FixtureProxy, type Stand } from './fixture-proxy.ts';
import { installed } from './install.ts';

const SUITE = '@modelcontextprotocol/conformance@0.1.16';
/** The suite needs a later Node than we do. */
const NODE = 'node@22.23.3';

async function suite(...args: string[]): Promise<{ code: number | null; out: string }> {
  const isLate = Number(process.versions.node.split('.')[0]) >= 22;
  const node = isLate ? process.execPath : await installed(NODE, 'node');
  const program = await installed(SUITE, 'conformance');
  const child = spawn(node, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { code: child.exitCode, out };
}

const TEAM = 'login';
const tasks: Stand = { uri: `teams://${TEAM}/tasks` };
/** What stands for the fixtures of the suite. */
const STANDS: Readonly<Record<string, Stand>> = {
  test_simple_text: { name: 'TaskList' },
  test_error_handling: { name: 'TaskGet' },
  test_tool_with_progress: {
    name: 'bash',
    arguments: () => ({ command: 'for at in 1 2 3 4; do echo step $at; sleep 0.7; done' }),
  },
  test_simple_prompt: { name: 'stand-up' },
  test_prompt_with_arguments: { name: 'lead-a-team', arguments: ({ arg1, arg2 }) => ({ goal: arg1, agent: arg2 }) },
  'test://static-text': tasks,
  'test://watched-resource': tasks,
  'test://template/123/data': { uri: `teams://${TEAM}/tasks/123` },
};

const FITTING = [
  ['server-initialize', 'member'],
  ['logging-set-level', 'member'],
  ['ping', 'member'],
  ['completion-complete', 'lead'],
  ['tools-list', 'member'],
  ['tools-call-simple-text', 'member'],
  ['tools-call-error', 'member'],
  ['tools-call-with-progress', 'member'],
  ['server-sse-polling', 'member'],
  ['server-sse-multiple-streams', 'member'],
  ['resources-list', 'member'],
  ['resources-read-text', 'member'],
  ['resources-templates-read', 'member'],
  ['resources-subscribe', 'member'],
  ['resources-unsubscribe', 'member'],
  ['prompts-list', 'member'],
  ['prompts-get-simple', 'member'],
  ['prompts-get-with-args', 'lead'],
  ['dns-rebinding-protection', 'member'],
] as const;

describe('the conformance suite', () => {
  test.each(FITTING)('%s passes, as a %s', async (scenario, side) => {
    const place = new Workplace();
    greatTeam({ members: 2, tasks: 123, messages: 0 }, place.root);
    const [as, args] = side === 'lead' ? ['lead', []] : [memberAt(0), ['--team', TEAM, '--with-shell']];
    const server = await HttpServer.on(place, ...args);
    await using proxy = await FixtureProxy.before(server, as, STANDS);
    const { code, out } = await suite('server', '--url', proxy.url, '--scenario', scenario);
    expect({ code, failed: / (\d+) failed/.exec(out)?.[1] }, out.slice(-4_000)).toEqual({ code: 0, failed: '0' });
  });

  test('every scenario runs, or docs/mcp.md says why it does not', async () => {
    const { out } = await suite('list');
    const [, ours = ''] = /Server scenarios.*?\n([^]*?)\n\n/.exec(out) ?? [];
    const names = [...ours.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(30);
    const page = readFileSync('docs/mcp.md', 'utf8');
    const left = names.filter((name) => !FITTING.some(([scenario]) => scenario === name));
    expect(left.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
