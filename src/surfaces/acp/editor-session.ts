/**
 * A session of an editor: each prompt is a run of a team, as `teams run` has it. One prompt at a time; the session ends
 * with its editor.
 *
 *   idle ─prompt─→ making the team ─→ leading it ─report─→ idle
 *   leading ─a member asks─→ leading without a prompt ─prompt: the answer─→ leading
 *   making, leading ─cancel─→ idle: the turns of the members are interrupted, and the team can be resumed
 */
import {
  RequestError,
  type AgentContext,
  type McpServer,
  type PromptRequest,
  type PromptResponse,
  type SessionModeState,
} from '@agentclientprotocol/sdk';
import { isTeamError, safeLine, safeText, UsageError, type TeamError } from '../../app.ts';
import { agreesTo, type AskedEditor } from './ask-person.ts';
import { EditorRun } from './editor-run.ts';
import { promptText } from './prompt-text.ts';
import { planView, showTeam, type TellEditor } from './show-team.ts';
import type { MadeTeam, TeamWork } from './team-work.ts';
import { Transcript } from './transcript.ts';

interface SessionPlace {
  readonly id: string;
  readonly cwd: string;
  /** The MCP servers that the editor offers for the session. */
  readonly mcpServers: readonly McpServer[];
  readonly editor: AgentContext;
  /** Whether the editor shows forms (elicitation). */
  readonly showsForms: boolean;
  readonly work: TeamWork;
  /** Aborts when teams must be stopped at once. */
  readonly force: AbortSignal;
}

/** From a prompt to the end of its run, which may outlast the prompt. */
interface Turn {
  readonly cancel: AbortController;
  run?: EditorRun;
  /** The answer of the present prompt; undefined while the run goes on without one. */
  prompt: Promise<PromptResponse> | undefined;
}

export class EditorSession {
  readonly #place: SessionPlace;
  readonly #transcript: Transcript;
  readonly #asked: AskedEditor;
  #turn: Turn | undefined;
  #mode: string | undefined;
  /** Whether the person knows that the editor's MCP servers are not used. */
  #toldServers = false;

  constructor(place: SessionPlace) {
    this.#place = place;
    this.#transcript = new Transcript(place);
    const { editor, showsForms, id: sessionId } = place;
    this.#asked = { editor, showsForms, sessionId, tell: this.#tell };
  }

  /** The modes of its directory, and the present one. */
  get modes(): SessionModeState {
    const availableModes = this.#place.work.modes(this.#place.cwd);
    this.#mode ??= this.#transcript.mode();
    const present = availableModes.find(({ id }) => id === this.#mode) ?? availableModes[0];
    return { currentModeId: present?.id ?? '', availableModes };
  }

  /** From the next prompt on. */
  switch(mode: string): void {
    const { availableModes } = this.modes;
    if (!availableModes.some(({ id }) => id === mode)) {
      const known = availableModes.map(({ id }) => id).join(', ');
      throw RequestError.invalidParams(undefined, `There is no mode ${mode}; there are: ${known}.`);
    }
    this.#mode = mode;
    this.#transcript.switched(mode);
  }

  /** Keeps the new session for other processes. */
  keep(): void {
    this.#transcript.opened();
  }

  get isBusy(): boolean {
    return this.#turn !== undefined;
  }

  /** Shows what was said in it before, and the plan of its last team. */
  async repeat(): Promise<void> {
    const { updates, team } = this.#transcript.read();
    for (const update of updates) await this.#tell(update);
    if (team !== undefined) await showTeam(team, [planView(this.#tell)], AbortSignal.abort());
  }

  async prompt({ prompt }: PromptRequest): Promise<PromptResponse> {
    const present = this.#turn;
    if (present?.prompt !== undefined)
      throw RequestError.invalidRequest(undefined, 'The session works on a prompt already; cancel it first.');
    const text = promptText(prompt);
    const turn: Turn = present ?? { cancel: new AbortController(), prompt: undefined };
    this.#turn = turn;
    this.#transcript.prompted(text);
    await this.#tellServers();
    turn.prompt = this.#answer(turn, text);
    try {
      return await turn.prompt;
    } finally {
      turn.prompt = undefined;
      if (turn.run === undefined && this.#turn === turn) this.#turn = undefined;
    }
  }

  cancel(): void {
    this.#turn?.cancel.abort();
  }

  /** Ends the present prompt like a cancel, and waits until its processes are gone. */
  async close(): Promise<void> {
    const turn = this.#turn;
    this.cancel();
    await Promise.allSettled([turn?.prompt, turn?.run?.over]);
  }

  async #answer(turn: Turn, text: string): Promise<PromptResponse> {
    const stop = turn.cancel.signal;
    try {
      if (turn.run !== undefined) return await this.#goOn(turn.run, text);
      const made = await this.#make(text, stop);
      if (made !== undefined && 'answer' in made) {
        await this.#say(made.answer);
        return { stopReason: 'end_turn' };
      }
      if (made !== undefined) return await this.#begin(turn, made).next();
      if (stop.aborted) return { stopReason: 'cancelled' };
      await this.#say('Nothing was started.');
      return { stopReason: 'end_turn' };
    } catch (error) {
      if (stop.aborted) return { stopReason: 'cancelled' };
      if (!isTeamError(error)) throw error;
      const failure = requestError(error);
      this.#transcript.said(failure.message);
      throw failure;
    }
  }

  #make(text: string, stop: AbortSignal): ReturnType<TeamWork['make']> {
    const { work, cwd } = this.#place;
    if (text === '') throw new UsageError('USAGE', 'The prompt has no words; say what the team is to do.');
    return work.make(
      { text, cwd, mode: this.modes.currentModeId },
      {
        stop,
        say: (remark) => void this.#think(remark),
        agrees: (plan) => agreesTo(this.#asked, plan, stop),
      },
    );
  }

  #begin(turn: Turn, made: MadeTeam): EditorRun {
    this.#transcript.led(made.paths);
    const { force } = this.#place;
    const run = new EditorRun(made, {
      asked: this.#asked,
      stop: turn.cancel.signal,
      force,
      costBefore: this.#transcript.spent(),
      keepCost: (usd) => this.#transcript.cost(usd),
      say: (text) => this.#say(text),
    });
    turn.run = run;
    const over = (): void => {
      delete turn.run;
      if (turn.prompt === undefined && this.#turn === turn) this.#turn = undefined;
    };
    run.over.then(over, (error: unknown) => {
      // No prompt is there that could be answered with the error.
      if (turn.prompt === undefined && isTeamError(error)) void this.#say(requestError(error).message);
      over();
    });
    return run;
  }

  /** Members are several processes of several programs, each with its own servers. */
  async #tellServers(): Promise<void> {
    const { mcpServers } = this.#place;
    if (mcpServers.length === 0 || this.#toldServers) return;
    this.#toldServers = true;
    const names = mcpServers.map(({ name }) => safeLine(name)).join(', ');
    await this.#think(
      `The MCP servers of the editor are not passed on to members: ${names}. Each agent uses its own.\n`,
    );
  }

  #think(remark: string): Promise<void> {
    return this.#tell({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: safeText(remark) } });
  }

  /** The prompt is an answer that a member waits for. */
  async #goOn(run: EditorRun, text: string): Promise<PromptResponse> {
    const why = await run.take(text);
    if (why !== undefined) throw RequestError.invalidRequest(undefined, why);
    return run.next();
  }

  #say(text: string): Promise<void> {
    this.#transcript.said(text);
    return this.#tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: safeText(text) } });
  }

  /** An editor that is gone needs no updates. */
  readonly #tell: TellEditor = (update) =>
    this.#place.editor.notify('session/update', { sessionId: this.#place.id, update }).catch(() => undefined);
}

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/** The error of a prompt that made no team, with the code and the class that `--json` would print. */
const requestError = (error: TeamError): RequestError =>
  new RequestError(error instanceof UsageError ? INVALID_PARAMS : INTERNAL_ERROR, `${error.code}: ${error.message}`, {
    class: error.class,
    code: error.code,
    retryable: error.retryable,
  });
