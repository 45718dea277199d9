/**
 * A session of an editor: each prompt is a run of a team, as `teams run` has it. One prompt at a time; the session ends
 * with its editor.
 *
 *   idle ─prompt─→ making the team ─→ leading it ─report─→ idle
 *   making, leading ─cancel─→ idle: the turns of the members are interrupted, and the team can be resumed
 */
import { RequestError, type AgentContext, type PromptRequest, type PromptResponse } from '@agentclientprotocol/sdk';
import { isTeamError, reportText, safeText, UsageError, type Report, type TeamError } from '../../app.ts';
import { agreesTo, fenced } from './ask-person.ts';
import { Transcript } from './transcript.ts';
import { promptText } from './prompt-text.ts';
import { showOnce, showTeam, type TellEditor } from './show-team.ts';
import type { MadeTeam, TeamWork } from './team-work.ts';

interface SessionPlace {
  readonly id: string;
  readonly cwd: string;
  readonly editor: AgentContext;
  readonly work: TeamWork;
  /** Aborts when teams must be stopped at once. */
  readonly force: AbortSignal;
}

export class EditorSession {
  readonly #place: SessionPlace;
  readonly #transcript: Transcript;
  #turn: { readonly cancel: AbortController; readonly over: Promise<unknown> } | undefined;

  constructor(place: SessionPlace) {
    this.#place = place;
    this.#transcript = new Transcript(place);
  }

  get isBusy(): boolean {
    return this.#turn !== undefined;
  }

  /** Shows what was said in it before, and the plan of its last team. */
  async repeat(): Promise<void> {
    const { updates, team } = this.#transcript.read();
    for (const update of updates) await this.#tell(update);
    if (team !== undefined) await showOnce(team, this.#tell);
  }

  async prompt({ prompt }: PromptRequest): Promise<PromptResponse> {
    if (this.#turn !== undefined)
      throw RequestError.invalidRequest(undefined, 'The session works on a prompt already; cancel it first.');
    const cancel = new AbortController();
    const text = promptText(prompt);
    this.#transcript.prompted(text);
    const over = this.#answer(text, cancel.signal);
    this.#turn = { cancel, over: over.catch(() => undefined) };
    try {
      return await over;
    } finally {
      this.#turn = undefined;
    }
  }

  cancel(): void {
    this.#turn?.cancel.abort();
  }

  /** Ends the present prompt like a cancel, and waits until its processes are gone. */
  async close(): Promise<void> {
    this.cancel();
    await this.#turn?.over;
  }

  async #answer(text: string, stop: AbortSignal): Promise<PromptResponse> {
    try {
      const made = await this.#make(text, stop);
      if (made === undefined) return await this.#declined(stop);
      return await this.#lead(made, stop);
    } catch (error) {
      if (stop.aborted) return { stopReason: 'cancelled' };
      if (!isTeamError(error)) throw error;
      const failure = requestError(error);
      this.#transcript.said(failure.message);
      throw failure;
    }
  }

  #make(text: string, stop: AbortSignal): Promise<MadeTeam | undefined> {
    const { work, cwd, editor, id } = this.#place;
    if (text === '') throw new UsageError('USAGE', 'The prompt has no words; say what the team is to do.');
    return work.make(
      { text, cwd },
      {
        stop,
        say: (remark) =>
          void this.#tell({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: safeText(remark) } }),
        agrees: (plan) => agreesTo({ editor, sessionId: id, tell: this.#tell, stop }, plan),
      },
    );
  }

  async #declined(stop: AbortSignal): Promise<PromptResponse> {
    if (stop.aborted) return { stopReason: 'cancelled' };
    await this.#say('Nothing was started.');
    return { stopReason: 'end_turn' };
  }

  async #lead(made: MadeTeam, stop: AbortSignal): Promise<PromptResponse> {
    this.#transcript.led(made.paths);
    const ended = new AbortController();
    const shown = showTeam(made.paths, this.#tell, ended.signal);
    let report: Report;
    try {
      report = await made.lead({ signal: stop, leave: stop, force: this.#place.force });
    } finally {
      ended.abort();
      await shown;
    }
    const { team, outcome, exitCode } = (report = await made.finish(report));
    await this.#say(fenced(reportText(report)));
    const isStopped = stop.aborted && outcome !== 'succeeded' && outcome !== 'failed';
    if (isStopped) await this.#say(`\nThe same prompt continues it, and so does \`teams resume ${team}\`.`);
    return { stopReason: isStopped ? 'cancelled' : 'end_turn', _meta: { teams: { team, outcome, exitCode } } };
  }

  #say(text: string): Promise<void> {
    this.#transcript.said(text);
    return this.#tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
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
