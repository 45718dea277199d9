/**
 * What waits for a person: questions, plans, permissions and changes of members, results without consensus, checkpoints. Each has a form, for
 * protocols that show forms, and carries out what the form says.
 */
import * as z from 'zod';
import {
  isTeamError,
  judgeTask,
  readyCheckpoints,
  reviseTask,
  safeText,
  type OpenRequest,
  type Task,
  type TeamHandle,
} from '../../app.ts';

export interface PersonQuestion {
  /** The id of a request, or `checkpoint-3`. */
  readonly key: string;
  /** A question is answered with words, a permission with one of a few, all else with yes or no. */
  readonly kind: OpenRequest['kind'] | 'checkpoint';
  readonly message: string;
  readonly form: typeof ANSWER_FORM | typeof DECISION_FORM | typeof PERMISSION_FORM;
  /** Carries out an accepted form. */
  readonly answer: (content: unknown) => Promise<void>;
}

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

const PERMISSION_FORM = {
  type: 'object' as const,
  properties: {
    answer: {
      type: 'string' as const,
      title: 'Allow it?',
      enum: ['yes', 'no', 'always', 'always tool'],
      enumNames: ['Once', 'No', 'Always this call', 'Always this tool'],
    },
    reason: { type: 'string' as const, title: 'Reason', description: 'What the agent is told if it is refused' },
  },
  required: ['answer'],
};

const answerSchema = z.object({ answer: z.string().trim().min(1) });
const permissionSchema = z.object({ answer: z.string().trim().min(1), reason: z.string().default('') });
const decisionSchema = z.object({ approve: z.boolean(), note: z.string().default('') });

/** Characters of a checkpoint's description; the whole text is on the board. */
const MOST_DESCRIBED = 4_000;

/** @throws StoreError if the team cannot be read */
export function waitingQuestions(team: TeamHandle): PersonQuestion[] {
  const board = team.store.board.fold();
  return [
    ...[...board.open.values()].map((request) => ofRequest(team, request)),
    ...[...readyCheckpoints(board)].map((task) => ofCheckpoint(team, task)),
  ];
}

/**
 * Carries out an accepted form.
 *
 * @returns why it could not be carried out
 * @throws an error that is none of ours
 */
export async function answerQuestion(question: PersonQuestion, content: unknown): Promise<string | undefined> {
  try {
    await question.answer(content);
    return undefined;
  } catch (error) {
    return answerProblem(error);
  }
}

function answerProblem(error: unknown): string {
  if (isTeamError(error)) return `${error.code}: ${error.message}`;
  if (error instanceof z.ZodError) return `USAGE: ${z.prettifyError(error)}`;
  throw error;
}

function ofRequest(team: TeamHandle, { id, kind, from, text, task }: OpenRequest): PersonQuestion {
  const about = task === undefined ? '' : ` (task #${task} ${team.board.get(task).subject})`;
  const asked = safeText(text);
  const who = `${from} of team ${team.name}${safeText(about)}`;
  if (kind === 'question')
    return {
      key: id,
      kind,
      message: `${who} asks:\n\n${asked}`,
      form: ANSWER_FORM,
      answer: async (content) => {
        await team.answer(id, answerSchema.parse(content).answer);
      },
    };
  if (kind === 'permission')
    return {
      key: id,
      kind,
      message: `${who} asks for permission:\n\n${asked}`,
      form: PERMISSION_FORM,
      answer: async (content) => {
        const { answer, reason } = permissionSchema.parse(content);
        await team.answer(id, reason === '' ? answer : `${answer} ${reason}`);
      },
    };
  const what = {
    plan: 'waits for the approval of this plan',
    consensus: 'has a result without consensus',
    review: 'waits for your review of its change',
  }[kind];
  return {
    key: id,
    kind,
    message: `${who} ${what}:\n\n${asked}`,
    form: DECISION_FORM,
    answer: (content) => decide(team, { kind, task: task ?? '' }, content),
  };
}

const ofCheckpoint = (team: TeamHandle, { id, subject, description }: Task): PersonQuestion => ({
  key: `checkpoint-${id}`,
  kind: 'checkpoint',
  message: safeText(
    `Team ${team.name} waits at checkpoint #${id} ${subject}. Shall it go on?\n\n${description.slice(0, MOST_DESCRIBED)}`,
  ),
  form: DECISION_FORM,
  answer: (content) => decide(team, { kind: 'checkpoint', task: id }, content),
});

async function decide(
  team: TeamHandle,
  { kind, task }: { readonly kind: 'plan' | 'consensus' | 'review' | 'checkpoint'; readonly task: string },
  content: unknown,
): Promise<void> {
  const { approve, note } = decisionSchema.parse(content);
  if (kind === 'consensus' && !approve) await reviseTask(team, task, note || 'The result is not accepted.');
  else if (kind === 'review' && !approve)
    await judgeTask(team, task, { approve, text: note || 'The change is not accepted.' });
  else await judgeTask(team, task, { approve, text: note });
}
