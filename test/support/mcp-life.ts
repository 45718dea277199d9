/**
 * The whole life of a team as its hosts drive it: a lead over stdio, and two members whose agents connect the server
 * themselves. It goes step by step, so that a test can end it after each.
 */
import { once } from 'node:events';
import { createServer, type Server as Listener, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { expect } from 'vitest';
import { until, type Workplace } from './cli.ts';
import { Host, type Server } from './mcp-host.ts';

const RELAY = resolve('test/fixtures/mcp-relay.mjs');

const AGENTS = `
agents:
  attached: { kind: exec, command: ['${process.execPath}', '${RELAY}'] }
  shell: { kind: exec, command: 'echo made by $TEAMS_MEMBER; setsid sleep 300 >&- 2>&- & ' }
  stubborn: { kind: scripted, shutdown: ask, options: { turns: [{ match: asks you to stop, answers: 'REJECT: not yet', repeat: true }, { answers: 'done', repeat: true }] } }
`;

const team_name = 'login';

export const STEPS = [
  'the team is made',
  'members with exec agents are started',
  'one with a scripted agent is started',
  'there are tasks that wait for others',
  'two members have attached the server',
  'they wrote to each other and to all',
  'they ended their tasks',
  'a plan was refused',
  'a plan was granted and carried out',
  'a member refused to stop',
  'the team was deleted by force',
] as const;
export type Step = (typeof STEPS)[number];

export class TeamLife {
  readonly lead: Host;
  readonly server: Server;
  readonly #place: Workplace;
  readonly #members = new Map<string, { host: Host; wire: Socket }>();
  readonly #listeners: Listener[] = [];
  #next = 0;

  private constructor(place: Workplace, lead: Host, server: Server) {
    this.#place = place;
    this.lead = lead;
    this.server = server;
  }

  static async begin(place: Workplace, ...args: string[]): Promise<TeamLife> {
    place.put('home/config/teams/config.yaml', AGENTS);
    const { host, server } = await Host.with(place, ...args);
    return new TeamLife(place, host, server);
  }

  readonly #acts: Readonly<Record<Step, () => Promise<void>>> = {
    'the team is made': async () => {
      await this.lead.say('TeamCreate', { team_name });
    },
    'members with exec agents are started': () => this.#hireExec(),
    'one with a scripted agent is started': () => this.#hire('dan', 'stubborn'),
    'there are tasks that wait for others': () => this.#plan(),
    'two members have attached the server': () => this.#attach(),
    'they wrote to each other and to all': () => this.#talk(),
    'they ended their tasks': () => this.#finish(),
    'a plan was refused': () => this.#refuse(),
    'a plan was granted and carried out': () => this.#grant(),
    'a member refused to stop': () => this.#tryToDelete(),
    'the team was deleted by force': () => this.#delete(),
  };

  /** Goes on to the end of this step. */
  async until(last: Step): Promise<void> {
    for (; this.#next <= STEPS.indexOf(last); this.#next += 1) await this.#acts[STEPS[this.#next] ?? last]();
  }

  async end(): Promise<void> {
    for (const { wire } of this.#members.values()) wire.destroy();
    for (const listener of this.#listeners) listener.close();
    await this.lead.client.close();
  }

  async #hire(name: string, agent: string, more: object = {}): Promise<void> {
    const said = await this.lead.say('Task', { prompt: 'begin', team_name, name, agent, ...more });
    expect(said).toContain(`${name} works for team login`);
  }

  async #hireExec(): Promise<void> {
    await Promise.all([this.#hire('ada', 'attached'), this.#hire('bob', 'attached')]);
    await this.#hire('cy', 'shell', { plan_approval: true });
  }

  async #plan(): Promise<void> {
    for (const name of ['ada', 'bob']) await this.#listen(name);
    const add = (subject: string, owner: string, blockedBy: string[] = []) =>
      this.lead.say('TaskCreate', { subject, description: subject, owner, blockedBy });
    await add('Design', 'ada');
    await add('Watch', 'bob');
    expect(await add('Build', 'cy', ['Design', 'Watch'])).toMatch(/owner cy; waits for #1, #2/);
    expect(await this.lead.call('TaskUpdate', { taskId: '1', addBlockedBy: ['3'] })).toMatchObject({ isError: true });
  }

  /** The socket that a member's agent connects to when it has a turn. */
  async #listen(name: string): Promise<void> {
    const listener = createServer((wire) => {
      wire.on('error', () => undefined);
      void Host.over(new StdioServerTransport(wire, wire)).then(
        (host) => this.#members.set(name, { host, wire }),
        () => undefined,
      );
    });
    this.#listeners.push(listener);
    await once(listener.listen(join(this.#place.root, `${name}.sock`)), 'listening');
  }

  async #attach(): Promise<void> {
    await until(() => this.#members.size === 2, 'two members have attached the server');
    for (const { host } of this.#members.values()) {
      const refused = await host.call('TeamDelete', { name: team_name, force: true });
      expect(refused.text).toMatch(/^POLICY_DENIED: TeamDelete is for the lead only/);
      expect(await host.say('TaskList')).toMatch(/#1 \[in_progress\]|#2 \[in_progress\]/);
    }
  }

  #member(name: string): Host {
    const known = this.#members.get(name);
    if (known === undefined) throw new Error(`${name} has not attached the server`);
    return known.host;
  }

  async #talk(): Promise<void> {
    const [ada, bob] = [this.#member('ada'), this.#member('bob')];
    expect(await ada.say('SendMessage', { recipient: 'bob', content: 'peer to peer' })).toMatch(/^sent to bob/);
    expect(await bob.mail(/peer to peer/)).toMatch(/message from "ada"/);
    const receipts = await bob.say('SendMessage', { type: 'broadcast', content: 'bob to all' });
    expect([...receipts.matchAll(/^sent to (\w+)/gm)].map(([, name]) => name)).toEqual(['lead', 'ada', 'cy', 'dan']);
    expect(await ada.mail(/bob to all/)).toMatch(/type "broadcast"/);
    expect(await this.lead.mail(/bob to all/)).toMatch(/type "broadcast"/);
    await this.lead.say('SendMessage', { type: 'broadcast', content: 'lead to all' });
    await Promise.all([ada.mail(/lead to all/), bob.mail(/lead to all/)]);
    for (const type of ['shutdown_request', 'plan_approval_response'])
      expect(
        (await ada.call('SendMessage', { recipient: 'bob', type, content: 'x', approve: true, request_id: 'r' })).text,
      ).toMatch(/^POLICY_DENIED: /);
  }

  async #finish(): Promise<void> {
    for (const [name, taskId] of [
      ['ada', '1'],
      ['bob', '2'],
    ] as const) {
      const done = await this.#member(name).say('TaskUpdate', { taskId, status: 'completed', result: `by ${name}` });
      expect(done).toMatch(/is reported as completed: passed/);
      this.#members.get(name)?.wire.destroy();
    }
    await this.#reads(/#1 \[completed\]/);
    await this.#reads(/#2 \[completed\]/);
  }

  #reads(board: RegExp): Promise<void> {
    return until(async () => board.test(await this.lead.say('TaskList')), `the board reads ${board.source}`);
  }

  async #answer(approve: boolean, content: string): Promise<void> {
    const asked = await this.lead.mail(/plan_approval_request/);
    const request_id = [...asked.matchAll(/request_id "([^"]+)"/g)].at(-1)?.[1];
    const answer = { recipient: 'cy', type: 'plan_approval_response', request_id, approve, content };
    await this.lead.say('SendMessage', answer);
  }

  async #refuse(): Promise<void> {
    await this.#answer(false, 'too short');
    await this.#reads(/#3 \[failed\]/);
  }

  async #grant(): Promise<void> {
    await this.lead.say('TaskUpdate', { taskId: 'Build', status: 'pending' });
    await this.#answer(true, 'go on');
    await this.#reads(/#3 \[completed\]/);
    expect(await this.lead.say('TaskGet', { taskId: '3' })).toContain('made by cy');
  }

  async #tryToDelete(): Promise<void> {
    const refused = await this.lead.call('TeamDelete', { name: team_name });
    expect(refused.text).toMatch(/^STILL_RUNNING: .*dan refuses to stop \(not yet\)/);
    expect(await this.lead.say('TaskList')).toContain('#3 [completed]');
  }

  async #delete(): Promise<void> {
    expect(await this.lead.say('TeamDelete', { name: team_name, force: true })).toContain('3 of 3 tasks');
    expect(await this.lead.call('TaskList')).toMatchObject({ isError: true });
  }
}
