/**
 * The run of a prompt. It goes on without a prompt while a member waits for words of the person: the prompt is then
 * answered with the question, and the next prompt is the answer.
 */
import type { PromptResponse } from '@agentclientprotocol/sdk';
import { reportText, type Report } from '../../app.ts';
import { answerQuestion, type PersonQuestion } from '../person/waiting-questions.ts';
import { fenced, type AskedEditor } from './ask-person.ts';
import { questionView } from './question-view.ts';
import { planView, showTeam, type TeamView } from './show-team.ts';
import type { MadeTeam } from './team-work.ts';
import { ToolCallView } from './tool-call-view.ts';
import { UsageView } from './usage-view.ts';

interface RunPlace {
  readonly asked: AskedEditor;
  /** Aborts when the person cancels, or the editor is gone. */
  readonly stop: AbortSignal;
  /** Aborts when teams must be stopped at once. */
  readonly force: AbortSignal;
  /** What the session has cost before; undefined if a price is not known. */
  readonly costBefore: number | undefined;
  /** Keeps what the session has cost. */
  readonly keepCost: (usd: number | undefined) => void;
  /** Says something to the person, and keeps it. */
  readonly say: (text: string) => Promise<void>;
}

export class EditorRun {
  /** How the run ended; its report is said before. */
  readonly over: Promise<PromptResponse>;
  readonly #made: MadeTeam;
  readonly #place: RunPlace;
  #left: PersonQuestion[] = [];
  #onLeft: () => void = () => {};

  constructor(made: MadeTeam, place: RunPlace) {
    this.#made = made;
    this.#place = place;
    this.over = this.#lead();
  }

  /** The answer of a prompt: the end of the run, or a question that the next prompt answers. */
  async next(): Promise<PromptResponse> {
    while (this.#left.length === 0) {
      const left = new Promise<undefined>((resolve) => (this.#onLeft = () => resolve(undefined)));
      const end = await Promise.race([this.over, left]);
      if (end !== undefined) return end;
    }
    await this.#place.say(`${this.#left[0]?.message ?? ''}\n\nYour next message is the answer.\n`);
    return { stopReason: 'end_turn', _meta: { teams: { team: this.#made.paths.name, outcome: 'waiting' } } };
  }

  /**
   * Takes a prompt as the answer of the oldest question that was left to it.
   *
   * @returns why it is none
   */
  async take(text: string): Promise<string | undefined> {
    const [question, ...rest] = this.#left;
    const team = this.#made.paths.name;
    if (question === undefined) return `Team ${team} still works, and waits for no answer; cancel it first.`;
    this.#left = rest;
    return answerQuestion(question, { answer: text });
  }

  async #lead(): Promise<PromptResponse> {
    const { stop, force, say } = this.#place;
    let report = await this.#shown((made) => made.lead({ signal: stop, leave: stop, force }));
    report = await this.#made.finish(report);
    const { team, outcome, exitCode } = report;
    await say(fenced(reportText(report)));
    const isStopped = stop.aborted && outcome !== 'succeeded' && outcome !== 'failed';
    const again = this.#made.isContinuedByPrompt ? 'The same prompt continues it, and so does' : 'It is continued by';
    if (isStopped) await say(`\n${again} \`teams resume ${team}\`.`);
    return { stopReason: isStopped ? 'cancelled' : 'end_turn', _meta: { teams: { team, outcome, exitCode } } };
  }

  /** Leads the team while the editor shows it. */
  async #shown(lead: (made: MadeTeam) => Promise<Report>): Promise<Report> {
    const made = this.#made;
    const { asked, stop } = this.#place;
    await using team = made.open();
    const ended = new AbortController();
    const { prices, maxTokens } = made;
    const usage = new UsageView({ tell: asked.tell, prices, maxTokens, before: this.#place.costBefore });
    const views: TeamView[] = [
      planView(asked.tell),
      usage,
      new ToolCallView(asked.tell, stop),
      questionView({
        asked,
        team,
        stop: AbortSignal.any([stop, ended.signal]),
        onLeft: (question) => {
          this.#left.push(question);
          this.#onLeft();
        },
        onGone: (key) => (this.#left = this.#left.filter((one) => one.key !== key)),
      }),
    ];
    const shown = showTeam(made.paths, views, ended.signal);
    try {
      return await lead(made);
    } finally {
      ended.abort();
      await shown;
      this.#place.keepCost(usage.cost);
    }
  }
}
