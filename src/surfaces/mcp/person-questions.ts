/**
 * Asks the person of an MCP host what waits for a person. A host that shows forms (elicitation) is asked at once, and an
 * accepted form is the answer. Mail tells the same as before: what is answered there first needs no form, and a form
 * that is declined leaves the answer to the mail.
 */
import * as z from 'zod';
import { isTeamError, MailboxWatch, type TeamHandle, type ToolContext } from '../../app.ts';
import { answerQuestion, waitingQuestions, type PersonQuestion } from '../person/waiting-questions.ts';

/** The form of TeamDelete, when a member refuses to stop. */
export const FORCE_FORM = {
  type: 'object' as const,
  properties: { force: { type: 'boolean' as const, title: 'Stop them all the same' } },
  required: ['force'],
};

const forceSchema = z.object({ force: z.literal(true) });

/** Whether an accepted form of TeamDelete agrees. */
export const agreesToForce = (content: unknown): boolean => forceSchema.safeParse(content).success;

const questionsIn = ({ side, team }: ToolContext): PersonQuestion[] =>
  side === 'lead' && team !== undefined ? waitingQuestions(team).filter((one) => isForPerson(team, one)) : [];

/** A change that waits for the model that leads is no question to its person. */
const isForPerson = ({ store }: TeamHandle, { kind }: PersonQuestion): boolean =>
  kind !== 'review' || store.config.readOwn()?.trees?.review !== 'lead';

/** What a host did with a form. */
interface FormEnd {
  readonly action: string;
  readonly content?: unknown;
}

type AskPerson = (question: Pick<PersonQuestion, 'message' | 'form'>, signal: AbortSignal) => Promise<FormEnd>;

export class PersonQuestions {
  readonly #context: ToolContext;
  readonly #closing = new AbortController();
  readonly #watch: MailboxWatch;
  /** By key: forms that are shown or were declined. */
  readonly #asked = new Map<string, AbortController>();

  constructor(context: ToolContext) {
    this.#context = context;
    this.#watch = new MailboxWatch(context, this.#closing.signal);
  }

  /** What no form was shown for yet. */
  waiting(): PersonQuestion[] {
    return questionsIn(this.#context).filter(({ key }) => !this.#asked.has(key));
  }

  /**
   * Takes what a host did with the form of a question that waits.
   *
   * @returns why an accepted form could not be carried out
   */
  async take(key: string, { action, content }: FormEnd): Promise<string | undefined> {
    const question = questionsIn(this.#context).find((one) => one.key === key);
    this.#asked.set(key, new AbortController());
    if (question === undefined || action !== 'accept') return undefined;
    return answerQuestion(question, content);
  }

  /** Asks for each question as soon as it waits, and takes back the form of one that is answered elsewhere. */
  async askAll(ask: AskPerson): Promise<void> {
    for await (const _ of this.#watch.looks()) {
      const open = openQuestions(this.#context);
      for (const [key, asking] of this.#asked) if (!open.some((one) => one.key === key)) asking.abort();
      for (const question of open) {
        if (this.#asked.has(question.key)) continue;
        const over = new AbortController();
        this.#asked.set(question.key, over);
        const signal = AbortSignal.any([over.signal, this.#closing.signal]);
        // A host that is gone, or cannot show the form, leaves the answer to the mail.
        ask(question, signal).then(
          (end) => this.take(question.key, end),
          () => undefined,
        );
      }
    }
  }

  /** Looks soon, after one of our tools changed something. */
  ring(): void {
    this.#watch.ring();
  }

  close(): void {
    this.#closing.abort();
  }
}

/** None if the team cannot be read. */
function openQuestions(context: ToolContext): PersonQuestion[] {
  try {
    return questionsIn(context);
  } catch (error) {
    if (isTeamError(error)) return [];
    throw error;
  }
}
