/**
 * What members do as tool calls: each attempt at a task with its last output, its end and its diffs, and each call that
 * an agent told. Diffs compare with the files as they were before the run.
 */
import {
  changedTexts,
  cwdOf,
  newId,
  realClock,
  type ChangedText,
  type ShownEvent,
  type Task,
  type TeamReader,
} from '../../app.ts';
import { fenced } from './ask-person.ts';
import type { TellEditor, TeamView } from './show-team.ts';
import { actedCall, attemptCall, deniedCall, diffContent, textContent } from './tool-calls.ts';

/** Lines of an attempt's output that are shown. */
const MOST_LINES = 20;

const ENDS: ReadonlyMap<string, 'completed' | 'failed'> = new Map([
  ['task.completed', 'completed'],
  ['task.submitted', 'completed'],
  ['task.failed', 'failed'],
  ['task.released', 'failed'],
  ['task.cancelled', 'failed'],
  ['task.skipped', 'failed'],
]);

interface Attempt {
  readonly id: string;
  lines: readonly string[];
}

/** An attempt that completed its task; its diffs are not read yet. */
interface Done {
  readonly id: string;
  readonly task: Task;
  readonly result: string;
}

export class ToolCallView implements TeamView {
  readonly #tell: TellEditor;
  readonly #stop: AbortSignal;
  /** Task → its present attempt. */
  readonly #attempts = new Map<string, Attempt>();
  /** Paths whose diff was shown. */
  readonly #shown = new Set<string>();
  readonly #done: Done[] = [];
  /** Those that had no diff when it was read; they are read again at the end. */
  readonly #bare: Done[] = [];
  #reading: Promise<void> | undefined;

  /** @param stop aborts when no more diffs are wanted */
  constructor(tell: TellEditor, stop: AbortSignal) {
    this.#tell = tell;
    this.#stop = stop;
  }

  async look(store: TeamReader, news: readonly ShownEvent[]): Promise<void> {
    const spoke = new Set<string>();
    for (const event of news) {
      const { type, member = 'lead', text = '' } = event;
      const task = 'task' in event ? event.task : undefined;
      if (typeof task === 'object') await this.#changed(store, type, task, member, text);
      else if (type === 'agent.acted')
        await this.#tell({ sessionUpdate: 'tool_call', ...actedCall(fresh(), member, text) });
      else if (type === 'agent.denied')
        await this.#tell({ sessionUpdate: 'tool_call', ...deniedCall(fresh(), member, text) });
      else if ((type === 'agent.said' || type === 'agent.printed') && this.#heard(task, text)) spoke.add(task);
    }
    for (const task of spoke) await this.#showOutput(task);
    this.#readDiffs(store);
  }

  /** Shows the diffs that remain: of the last tasks, and of files that no task names. */
  async end(store: TeamReader): Promise<void> {
    await this.#reading;
    if (this.#stop.aborted) return;
    this.#done.unshift(...this.#bare.splice(0));
    await this.#showDiffs(store);
    const [all = []] = await changedTexts(store, [undefined], this.#stop);
    const rest = all.filter(({ path }) => !this.#shown.has(path));
    if (rest.length === 0) return;
    const files = rest.length === 1 ? '1 more file' : `${rest.length} more files`;
    await this.#tell({
      sessionUpdate: 'tool_call',
      toolCallId: fresh(),
      title: `The run changed ${files}`,
      kind: 'edit',
      status: 'completed',
      content: rest.map(diffContent),
      locations: rest.map(({ path }) => ({ path })),
    });
  }

  async #changed(store: TeamReader, type: string, task: Task, member: string, text: string): Promise<void> {
    if (type === 'task.claimed') {
      const attempt: Attempt = { id: fresh(), lines: [] };
      this.#attempts.set(task.id, attempt);
      await this.#tell({ sessionUpdate: 'tool_call', ...attemptCall(attempt.id, task, cwdOf(store), member) });
      return;
    }
    const status = ENDS.get(type);
    const attempt = this.#attempts.get(task.id);
    if (status === undefined || attempt === undefined) return;
    this.#attempts.delete(task.id);
    const content = text === '' ? [] : [textContent(text)];
    const output = attempt.lines.length === 0 ? [] : [outputOf(attempt)];
    const shown = content.length === 0 || status === 'failed' ? [...content, ...output] : content;
    await this.#tell({ sessionUpdate: 'tool_call_update', toolCallId: attempt.id, status, content: shown });
    if (status === 'completed') this.#done.push({ id: attempt.id, task, result: text });
  }

  /** @returns whether an attempt printed it */
  #heard(task: unknown, text: string): task is string {
    const attempt = typeof task === 'string' ? this.#attempts.get(task) : undefined;
    if (attempt === undefined) return false;
    attempt.lines = [...attempt.lines, ...text.split('\n')].slice(-MOST_LINES);
    return true;
  }

  async #showOutput(task: string): Promise<void> {
    const attempt = this.#attempts.get(task);
    if (attempt === undefined) return;
    await this.#tell({ sessionUpdate: 'tool_call_update', toolCallId: attempt.id, content: [outputOf(attempt)] });
  }

  /** One at a time, and not waited for: reading files takes longer than the next news. */
  #readDiffs(store: TeamReader): void {
    if (this.#done.length === 0 || this.#reading !== undefined) return;
    this.#reading = this.#showDiffs(store)
      .catch(() => undefined)
      .finally(() => (this.#reading = undefined));
  }

  async #showDiffs(store: TeamReader): Promise<void> {
    const done = this.#done.splice(0);
    if (done.length === 0) return;
    // What could not be read now is read again at the end.
    const texts = await changedTexts(
      store,
      done.map(({ task }) => task),
      this.#stop,
    ).catch(() => []);
    for (const [at, one] of done.entries()) {
      const its = texts[at] ?? [];
      if (its.length === 0) this.#bare.push(one);
      else await this.#showDiff(one.id, one.result, its);
    }
  }

  async #showDiff(toolCallId: string, result: string, texts: readonly ChangedText[]): Promise<void> {
    for (const { path } of texts) this.#shown.add(path);
    const content = [...(result === '' ? [] : [textContent(result)]), ...texts.map(diffContent)];
    const locations = texts.map(({ path }) => ({ path }));
    await this.#tell({ sessionUpdate: 'tool_call_update', toolCallId, kind: 'edit', content, locations });
  }
}

const fresh = (): string => newId(realClock.now());

const outputOf = ({ lines }: Attempt) => textContent(fenced(lines.join('\n')));
