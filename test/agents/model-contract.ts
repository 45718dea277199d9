/**
 * The contract suite for agents with a model, whatever drives the model, with the model server. A row that does not
 * apply to a kind is declared with its reason, never left out in silence.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Agent, Incoming, TurnInput } from '../../src/agents/agent-contract.ts';
import type { FailureClass } from '../../src/model/agent/agent.ts';
import { defined } from '../../src/model/text/defined.ts';
import type { Asked } from '../fixtures/model-server/asked.ts';
import type { Script, Step, ToolUse } from '../fixtures/model-server/script.ts';
import { ModelServer } from '../fixtures/model-server/server.ts';
import { tempDir } from '../support/temp.ts';
import { play, turnInput, type Played } from './turns.ts';

export interface Place {
  /** The address of the model server, without a path. */
  readonly url: string;
  readonly cwd: string;
  readonly home: string;
  readonly session?: string;
}

export interface Opened {
  readonly agent: Agent;
  /** Additional input of every turn. */
  readonly input: Partial<TurnInput>;
  /** The texts that were sent so far by the team's tool. */
  readonly sent: (played: Played) => readonly string[];
}

export type Row =
  | ('text' | 'team tool' | 'own tool' | 'session' | 'mail' | 'cancel' | 'resume' | 'lost session' | 'usage')
  | ('bill' | 'bill of a broken turn' | 'bill over a resume')
  | ('429' | '429 then good' | '529' | '500' | '401' | '400' | 'overflow' | 'quota' | 'no model')
  | ('cut' | 'cut then good' | 'refused' | 'never answers' | 'hangs' | 'garbage' | 'nothing said' | 'bad call');

export interface Cast {
  readonly kind: string;
  /** Where its home is made (default: among the temporary files). */
  readonly homes?: string;
  readonly open: (place: Place) => Opened | Promise<Opened>;
  /** The call with which the model sends "hello" to the lead by the team's tool. */
  readonly send?: ToolUse;
  /** The call with which the model creates a file `made` in its directory, by a tool of its own. */
  readonly makes?: ToolUse;
  /** A failure class other than the usual one, if the program gives no better one. */
  readonly classes?: Partial<Record<Row, FailureClass>>;
  /** Rows in which the program tells not all that was used, with the reason: then it is unknown, never a number. */
  readonly unknownBill?: Partial<Record<Row, string>>;
  /** Rows that do not apply, each with the reason. */
  readonly cannot?: Partial<Record<Row, string>>;
  /** Whether it asks for titles, which the script does not answer. */
  readonly titles?: boolean;
  /** The program adds its own text behind the user's, and the model server echoes it. */
  readonly isWordy?: boolean;
  /** What must pass before another incarnation continues a session. */
  readonly betweenLives?: () => Promise<void>;
  /** A time shorter than the program's start would be a failure of its own. */
  readonly stallMs?: number;
}

const HELLO = { recipient: 'lead', content: 'hello' };

interface Stage extends Opened {
  readonly server: ModelServer;
  readonly place: Place;
  readonly turn: (prompt: string, over?: Partial<TurnInput>) => Promise<Played>;
}

async function stage(cast: Cast, script: Script): Promise<Stage> {
  const server = await ModelServer.start({ script, titles: cast.titles ?? false });
  onTestFinished(() => server.close());
  return staged(cast, server, { url: server.url, cwd: tempDir(), home: tempDir(cast.homes) });
}

async function staged(cast: Cast, server: ModelServer, place: Place): Promise<Stage> {
  const opened = await cast.open(place);
  onTestFinished(() => opened.agent.close());
  const turn = (prompt: string, over: Partial<TurnInput> = {}): Promise<Played> =>
    play(opened.agent.turn(turnInput(place.cwd, { prompt, ...opened.input, ...over })), undefined, {
      ok: true,
      text: 'sent',
    });
  return { ...opened, server, place, turn };
}

/** Within a hundredth of what came whole, and not over what was begun; or unknown where the program tells a part. */
function expectBilled(row: Row, { unknownBill }: Cast, { billed }: ModelServer, played: readonly Played[]): void {
  const told = played.flatMap(({ events }) => events.flatMap((event) => (event.type === 'usage' ? [event.usage] : [])));
  const isUnknown = told.some(({ inputTokens, outputTokens }) => inputTokens < 0 || outputTokens < 0);
  expect(isUnknown, JSON.stringify(told)).toBe(unknownBill?.[row] !== undefined);
  if (isUnknown) return;
  const sum = told.reduce((all, { inputTokens, outputTokens }) => all + inputTokens + outputTokens, 0);
  expect(sum).toBeGreaterThanOrEqual(billed.whole * 0.99);
  expect(sum).toBeLessThanOrEqual(billed.all * 1.01);
}

const everything = (asked: Asked | undefined): string => JSON.stringify(asked?.body);
const always = (step: Step): Script => [{ ...step, times: 'always' }];
const sessionIn = ({ events }: Played): string | undefined => events.find((event) => event.type === 'session')?.id;

/** What a vendor does, and the resulting failure class. */
const FAILURES: readonly [Row, Step, FailureClass][] = [
  ['429', { fail: { status: 429, retryAfter: 1 } }, 'rate_limited'],
  ['529', { fail: 529 }, 'rate_limited'],
  ['500', { fail: 500 }, 'crashed'],
  ['401', { fail: 401 }, 'unauthorised'],
  ['400', { fail: 400 }, 'bad_output'],
  ['overflow', { fail: { status: 400, kind: 'overflow' } }, 'overflow'],
  ['quota', { fail: { status: 429, kind: 'quota' } }, 'unauthorised'],
  ['no model', { fail: { status: 404, kind: 'model' } }, 'not_installed'],
  ['cut', { text: 'cut off in the middle', cut: true }, 'crashed'],
  ['never answers', { hangs: 'before' }, 'timeout'],
  ['hangs', { text: 'begun\nand never ended', hangs: 'midway' }, 'timeout'],
  ['garbage', { garbage: true }, 'bad_output'],
  ['nothing said', { text: '' }, 'bad_output'],
];

export function describeWithModel(cast: Cast): void {
  const { kind, cannot = {}, classes = {}, stallMs = 1_000, isWordy = false } = cast;
  const echo = (text: string): unknown => (isWordy ? expect.stringMatching(/^(?:ok|heard): /) : text);
  const row = (name: Row, title: string, test: () => Promise<void>): void => {
    const reason = cannot[name];
    if (reason === undefined) it(title, test);
    else it(`(${name}: does not apply: ${reason})`, () => expect(reason).not.toBe(''));
  };

  describe(`the contract with a model, kept by ${kind}:`, () => {
    row('text', 'says what the model says', async () => {
      const { turn } = await stage(cast, [{ text: 'heard: {user}' }]);
      const { end, events } = await turn('Say hello.');
      expect(end).toMatchObject({ kind: 'answered', text: echo('heard: Say hello.') });
      expect(events).toContainEqual({ type: 'said', text: echo('heard: Say hello.') });
    });

    row('team tool', "carries out the team's tool, and tells the model what came of it", async () => {
      const { turn, sent, server } = await stage(cast, [
        { calls: [cast.send ?? { tool: 'SendMessage', input: HELLO }] },
        { text: 'done' },
      ]);
      const played = await turn('Greet the lead.');
      expect(played.end).toMatchObject({ kind: 'answered', text: 'done' });
      expect(sent(played)).toEqual(['hello']);
      expect(server.requests.at(-1)?.results.join()).toContain('sent');
    });

    row('own tool', 'uses a tool of its own, and says so', async () => {
      const { turn } = await stage(cast, [{ calls: cast.makes ? [cast.makes] : [] }, { text: 'done' }]);
      const { end, events } = await turn('Make a file.');
      expect(end).toMatchObject({ kind: 'answered', text: 'done' });
      expect(events.map(({ type }) => type)).toContain('used');
    });

    row('session', 'keeps its session from turn to turn', async () => {
      const { turn, server } = await stage(cast, []);
      const first = await turn('The word is apple.');
      const second = await turn('Which word?');
      expect(sessionIn(first)).toBeTypeOf('string');
      expect(sessionIn(second) ?? sessionIn(first)).toBe(sessionIn(first));
      expect(everything(server.requests.at(-1))).toContain('The word is apple.');
    });

    row('mail', 'takes mail in mid-turn', async () => {
      const mail = mailbox();
      const { turn, server } = await stage(cast, (asked) => {
        if (everything(asked).includes('the plan has changed')) return { text: 'seen' };
        mail.put('the plan has changed');
        return {
          calls: [cast.makes ?? cast.send ?? { tool: 'SendMessage', input: HELLO }],
        };
      });
      const { end } = await turn('Work.', { mail });
      expect(end).toMatchObject({ kind: 'answered', text: 'seen' });
      expect(server.requests.length).toBeGreaterThan(1);
    });

    row('cancel', 'ends a cancelled turn, then does a good one', async () => {
      const { turn, server } = await stage(cast, always({ text: 'begun\nand never ended', hangs: 'midway' }));
      const abort = new AbortController();
      void server.request(1).then(() => abort.abort());
      expect((await turn('Work.', { signal: abort.signal })).end).toEqual({ kind: 'aborted' });
      server.play([]);
      expect((await turn('Again.')).end).toMatchObject({ kind: 'answered', text: echo('ok: Again.') });
    });

    row('resume', 'goes on with its session in another life', async () => {
      const { turn, server, place, agent } = await stage(cast, []);
      const session = sessionIn(await turn('The word is apple.'));
      await agent.close();
      await cast.betweenLives?.();
      const next = await staged(cast, server, { ...place, ...defined({ session }) });
      expect((await next.turn('Which word?')).end).toMatchObject({ kind: 'answered', text: echo('ok: Which word?') });
      expect(everything(server.requests.at(-1))).toContain('The word is apple.');
    });

    row('lost session', 'begins another session when the old one is gone, and says so', async () => {
      const { place, server } = await stage(cast, []);
      const { turn } = await staged(cast, server, { ...place, session: '00000000-0000-4000-8000-000000000000' });
      const played = await turn('Hello.');
      expect(played.end).toMatchObject({ kind: 'answered', text: echo('ok: Hello.') });
      expect(played.events.map(({ type }) => type)).toContain('noted');
      expect(sessionIn(played)).not.toBe('00000000-0000-4000-8000-000000000000');
    });

    row('usage', 'tells what it used', async () => {
      const { turn } = await stage(cast, [{ text: 'fine', usage: { input: 120, output: 30 } }]);
      const { events } = await turn('Hello.');
      const used = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []));
      expect(used[0]).toMatchObject({ inputTokens: 120 });
      expect(used.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0)).toBe(150);
    });

    // The numbers are large enough that a request of the program's own, such as one for a title, is far below a hundredth.
    const used: Step = { usage: { input: 2_000, output: 60, cached: 1_500 } };
    const call: Step = { ...used, calls: [cast.makes ?? cast.send ?? { tool: 'SendMessage', input: HELLO }] };

    row('bill', 'tells what the vendor bills, with what came from a cache', async () => {
      const { turn, server } = await stage(cast, [call, { ...call, ...used }, { ...used, text: 'done' }]);
      const played = await turn('Work.');
      expect(played.end).toMatchObject({ kind: 'answered' });
      expectBilled('bill', cast, server, [played]);
    });

    row('bill of a broken turn', 'tells what a turn used that was broken off', async () => {
      const { turn, server } = await stage(cast, [call, { ...used, text: 'begun', hangs: 'midway' }]);
      const abort = new AbortController();
      void server.request(2).then(() => abort.abort());
      const played = await turn('Work.', { signal: abort.signal });
      expect(played.end).toEqual({ kind: 'aborted' });
      expectBilled('bill of a broken turn', cast, server, [played]);
    });

    row('bill over a resume', 'tells each request once, over two lives', async () => {
      const first = await stage(cast, [call, { ...used, text: 'done' }, { ...used, text: 'done again' }]);
      const before = await first.turn('Work.');
      const session = sessionIn(before);
      await first.agent.close();
      await cast.betweenLives?.();
      const next = await staged(cast, first.server, { ...first.place, ...defined({ session }) });
      expectBilled('bill over a resume', cast, first.server, [before, await next.turn('Again.')]);
    });

    for (const [name, step, usual] of FAILURES)
      row(name, `tells ${name} as ${classes[name] ?? usual}, then does a good turn`, async () => {
        const { turn, server } = await stage(cast, always(step));
        // The short limit of silence applies only to the turn about silence, so that a loaded machine passes.
        const { end } = await turn('Work.', (classes[name] ?? usual) === 'timeout' ? { stallMs } : {});
        expect(end).toMatchObject({ kind: 'failed', why: classes[name] ?? usual });
        expect(end.kind === 'failed' && end.message).toMatch(/^[^\n]+$/);
        if (name === 'garbage') expect(end.kind === 'failed' && end.message).not.toMatch(/answered \d/);
        server.play([]);
        expect((await turn('Again.')).end).toMatchObject({ kind: 'answered', text: echo('ok: Again.') });
      });

    row('429 then good', 'waits out a limit by itself, and says so', async () => {
      const { turn } = await stage(cast, [{ fail: { status: 429, retryAfter: 1 } }, { text: 'fine' }]);
      const { end, events } = await turn('Work.');
      expect(end).toMatchObject({ kind: 'answered', text: 'fine' });
      expect(events).toContainEqual(expect.objectContaining({ type: 'retrying', why: 'rate_limited' }));
    });

    row('cut then good', 'asks again when a stream is cut', async () => {
      const { turn } = await stage(cast, [{ text: 'cut off in the middle', cut: true }, { text: 'fine' }]);
      expect((await turn('Work.')).end).toMatchObject({ kind: 'answered', text: 'fine' });
    });

    row('refused', `tells an address at which nobody listens as ${classes['refused'] ?? 'crashed'}`, async () => {
      const { turn, server } = await stage(cast, []);
      await server.close();
      const why = classes['refused'] ?? 'crashed';
      expect((await turn('Work.', why === 'timeout' ? { stallMs } : {})).end).toMatchObject({ kind: 'failed', why });
    });

    row('bad call', 'tells the model that a call was wrong, and goes on', async () => {
      const { turn, server } = await stage(cast, [{ calls: [{ tool: 'no_such_tool', input: {} }] }, { text: 'fine' }]);
      expect((await turn('Work.')).end).toMatchObject({ kind: 'answered', text: 'fine' });
      expect(server.requests.at(-1)?.results.join()).not.toBe('');
    });
  });
}

/** Mail that a test delivers. */
function mailbox(): Incoming & { put(text: string): void } {
  const [waiting, listeners]: [string[], Set<() => void>] = [[], new Set()];
  return {
    put: (text) => {
      waiting.push(text);
      for (const listener of listeners) listener();
    },
    take: () => waiting.splice(0).join('\n') || undefined,
    onArrival: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
