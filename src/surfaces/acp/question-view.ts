/** Asks the person for what waits in a team, each thing once and at once; what is answered elsewhere is taken back. */
import type { TeamHandle } from '../../app.ts';
import { answerQuestion, waitingQuestions, type PersonQuestion } from '../person/waiting-questions.ts';
import { askQuestion, type AskedEditor } from './ask-person.ts';
import type { TeamView } from './show-team.ts';

interface QuestionPlace {
  readonly asked: AskedEditor;
  /** The team, as its lead. */
  readonly team: TeamHandle;
  /** Aborts when nothing is asked any more. */
  readonly stop: AbortSignal;
  /** Called with a question that the person answers by the next prompt. */
  readonly onLeft: (question: PersonQuestion) => void;
  /** Called when something was answered elsewhere. */
  readonly onGone: (key: string) => void;
}

export function questionView({ asked, team, stop, onLeft, onGone }: QuestionPlace): TeamView {
  const asking = new Map<string, AbortController>();
  const ask = async (question: PersonQuestion, over: AbortSignal): Promise<void> => {
    const end = await askQuestion(asked, question, AbortSignal.any([over, stop]), (content) =>
      answerQuestion(question, content),
    );
    if (end === 'left') onLeft(question);
  };
  return {
    look() {
      const open = waitingQuestions(team);
      for (const [key, over] of asking)
        if (!over.signal.aborted && !open.some((one) => one.key === key)) {
          over.abort();
          onGone(key);
        }
      for (const question of open) {
        if (asking.has(question.key)) continue;
        const over = new AbortController();
        asking.set(question.key, over);
        // An editor that is gone, or takes no question, leaves the answer to the other views.
        void ask(question, over.signal).catch(() => undefined);
      }
      return Promise.resolve();
    },
  };
}
