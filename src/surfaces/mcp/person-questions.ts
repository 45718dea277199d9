/**
 * What waits for a person: questions and plans of members, results without consensus, checkpoints. A host that shows
 * forms (elicitation) is asked at once, and an accepted form is the answer. Mail tells the same as before: what is
 * answered there first needs no form, and a form that is declined leaves the answer to the mail.
 */
import {
  isTeamError,
  judgeTask,
  MailboxWatch,
  readyCheckpoints,
  reviseTask,
  safeText,
  type OpenRequest,
  type Task,
  type TeamHandle,
  type ToolContext,
} from '../../app.ts';
import * as z from 'zod';

interface PersonQuestion {
  /** The id of a request, or `checkpoint-3`. */
  readonly key: string;
  readonly message: string;
  readonly form: QuestionForm;
  /** Carries out an accepted form. */
  readonly answer: (content: unknown) => Promise<void>;
}

type QuestionForm = typeof ANSWER_FORM | typeof DECISION_FORM | typeof FORCE_FORM;

const ANSWER_FORM = {
  type: 'object' as const,
  properties: { answer: { type: 'string' as const, title: 'Answer', minLength: 1 } },
  required: ['answer'],
};
const DECISION_FORM = {
  type: 'object' as const,
  properties: {
    approve: { type: 'boolean' as const, title: 'Approve' },
    note: { type: 'string' as const, title: 'Note', description: 'What should be known, or be different' },
  },
  required: ['approve'],
};
/** The form of TeamDelete, when a member refuses to stop. */
export const FORCE_FORM = {
  type: 'object' as const,
  properties: { force: { type: 'boolean' as const, title: 'Stop them all the same' } },
  required: ['force'],
};

const answerSchema = z.object({ answer: z.string().trim().min(1) });
const decisionSchema = z.object({ approve: z.boolean(), note: z.string().default('') });
const forceSchema = z.object({ force: z.literal(true) });

/** Whether an accepted form of TeamDelete agrees. */
export const agreesToForce = (content: unknown): boolean => forceSchema.safeParse(content).success;

/** Characters of what is asked; the whole text is in the mail. */
const MOST_ASKED = 4_000;

function questionsIn({ side, team }: ToolContext): PersonQuestion[] {
  if (side !== 'lead' || team === undefined) return [];
  const board = team.store.board.fold();
  return [
    ...[...board.open.values()].map((request) => ofRequest(team, request)),
    ...[...readyCheckpoints(board)].map((task) => ofCheckpoint(team, task)),
  ];
}

function ofRequest(team: TeamHandle, { id, kind, from, text, task }: OpenRequest): PersonQuestion {
  const about = task === undefined ? '' : ` (task #${task} ${team.board.get(task).subject})`;
  const asked = safeText(text.slice(0, MOST_ASKED));
  const who = `${from} of team ${team.name}${safeText(about)}`;
  if (kind === 'question')
    return {
      key: id,
      message: `${who} asks:\n\n${asked}`,
      form: ANSWER_FORM,
      answer: async (content) => {
        await team.answer(id, answerSchema.parse(content).answer);
      },
    };
  const what = kind === 'plan' ? 'waits for the approval of this plan' : 'has a result without consensus';
  return {
    key: id,
    message: `${who} ${what}:\n\n${asked}`,
    form: DECISION_FORM,
    answer: (content) => decide(team, { kind, task: task ?? '' }, content),
  };
}

const ofCheckpoint = (team: TeamHandle, { id, subject, description }: Task): PersonQuestion => ({
  key: `checkpoint-${id}`,
  message: safeText(
    `Team ${team.name} waits at checkpoint #${id} ${subject}. Shall it go on?\n\n${description.slice(0, MOST_ASKED)}`,
  ),
  form: DECISION_FORM,
  answer: (content) => decide(team, { kind: 'checkpoint', task: id }, content),
});

async function decide(
  team: TeamHandle,
  { kind, task }: { readonly kind: 'plan' | 'consensus' | 'checkpoint'; readonly task: string },
  content: unknown,
): Promise<void> {
  const { approve, note } = decisionSchema.parse(content);
  if (kind === 'consensus' && !approve) await reviseTask(team, task, note || 'The result is not accepted.');
  else await judgeTask(team, task, { approve, text: note });
}

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
    try {
      await question.answer(content);
      return undefined;
    } catch (error) {
      if (isTeamError(error)) return `${error.code}: ${error.message}`;
      if (error instanceof z.ZodError) return `USAGE: ${z.prettifyError(error)}`;
      throw error;
    }
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
