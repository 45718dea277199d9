/**
 * Asks a person before a member's agent does what changes something (`approvals: ask`, docs/decisions/098). What the
 * sandbox refuses is not asked; what only reads is not asked; what a person allowed for always is not asked again. The
 * request is bound to a hash of the whole call, and is withdrawn when the call is over. While it waits, the clocks of the
 * turn stand.
 */
import type { CallAnswer, ToolCallEvent } from '../../agents/agent-contract.ts';
import { asksPerson } from '../../model/team/team-config.ts';
import { formatDuration } from '../../model/text/duration.ts';
import { askedCallText } from '../../policy/asked-text.ts';
import { allowedBy, parsePermissionAnswer } from '../../policy/permission-answer.ts';
import { hashText } from '../../store/board/results.ts';
import type { MemberSession } from '../team/member-session.ts';
import { keepingWhole, makePermission } from '../team/requests.ts';
import { authorOf } from '../team/authentication.ts';

/** A call that the sandbox permits. */
export interface PermissionAsk {
  readonly tool: string;
  /** What is done to which paths. */
  readonly effect: string;
  readonly paths: readonly string[];
  /** The whole call, such as a command or the new text of a file. */
  readonly input: string;
}

/** Milliseconds until a permission that nobody answers is refused. */
const PATIENCE_MS = 30 * 60_000;
/** The board is folded when a bell or the log rings; this is for a bell that was missed. */
const LOOK_AGAIN_MS = 500;

export class PermissionGate {
  readonly #session: MemberSession;
  #heldMs = 0;
  #heldSince: number | undefined;
  #waiting = 0;

  constructor(session: MemberSession) {
    this.#session = session;
  }

  /** Milliseconds that turns of this member waited for a person so far. */
  heldMs(): number {
    const { clock } = this.#session.store;
    return this.#heldMs + (this.#heldSince === undefined ? 0 : clock.monotonic() - this.#heldSince);
  }

  /**
   * @returns whether the call is permitted
   * @throws StoreError `UNTRUSTED`, `CORRUPT` for a configuration that was exchanged, also while a person is asked
   */
  async ask(asked: PermissionAsk, signal: AbortSignal): Promise<CallAnswer> {
    const { store, name } = this.#session;
    const config = store.config.readOwn();
    const member = config?.members.find((one) => one.name === name);
    const tool = toolOf(asked);
    const hash = hashText(JSON.stringify([tool, asked.effect, asked.paths, asked.input]));
    const isAsked = asksPerson(config, member) && asked.effect !== 'reads';
    if (!isAsked || allowedBy(config?.allowed ?? [], { tool, hash })) return ALLOWED;
    const text = await keepingWhole(store, (keep) => askedCallText({ ...asked, tool }, keep));
    const made = await makePermission(store, this.#session.speaker, { tool, hash, text });
    if (!made.ok) return { ok: false, why: `${tool} is denied: nobody could be asked (${made.why}).` };
    this.#hold();
    try {
      return await this.#answer(made.id, tool, { forMs: member?.approval_ms ?? PATIENCE_MS, signal });
    } finally {
      this.#release();
    }
  }

  async #answer(
    id: string,
    tool: string,
    { forMs, signal }: { readonly forMs: number; readonly signal: AbortSignal },
  ): Promise<CallAnswer> {
    const { store } = this.#session;
    const deadline = store.clock.monotonic() + forMs;
    for (;;) {
      // A configuration that was exchanged meanwhile ends this member: nobody could answer, and nothing is done by it.
      store.config.readOwn();
      const request = store.board.fold().requests.get(id);
      if (request?.state === 'answered') {
        const note = parsePermissionAnswer(request.answer)?.note ?? '';
        if (request.approve) return ALLOWED;
        return { ok: false, why: `${tool} is denied by a person${note === '' ? '' : `: ${note}`}.` };
      }
      if (request?.state !== 'open')
        return { ok: false, why: `${tool} is denied: ${request?.why ?? 'it was not asked'}.` };
      const left = deadline - store.clock.monotonic();
      if (signal.aborted || left <= 0) {
        const why = signal.aborted ? 'the turn that asked ended' : `nobody answered for ${formatDuration(forMs)}`;
        // If it was answered in this moment, the answer counts.
        if (await this.#withdraw(id, why)) return { ok: false, why: `${tool} is denied: ${why}.` };
      } else await store.clock.sleep(Math.min(left, LOOK_AGAIN_MS), signal);
    }
  }

  async #withdraw(request: string, why: string): Promise<boolean> {
    const { store, speaker } = this.#session;
    const { outcome } = await store.board.append(authorOf(speaker), () => ({
      type: 'request.withdrawn',
      request,
      why,
    }));
    return outcome.ok;
  }

  #hold(): void {
    this.#waiting += 1;
    this.#heldSince ??= this.#session.store.clock.monotonic();
  }

  #release(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0 || this.#heldSince === undefined) return;
    this.#heldMs += this.#session.store.clock.monotonic() - this.#heldSince;
    this.#heldSince = undefined;
  }
}

const ALLOWED: CallAnswer = { ok: true, text: '' };

/**
 * The tool's name without what it does: `shell npm test` is a call of `shell`. What an unknown tool does is not known from
 * its first word: it is named whole, and a name that is too long ends in its hash.
 */
function toolOf({ tool, effect }: Pick<PermissionAsk, 'tool' | 'effect'>): string {
  const name = (effect === 'unknown' ? tool.trim() : tool.split(/\s/, 1)[0]) || 'unknown';
  return name.length <= MOST_OF_NAME ? name : `${name.slice(0, MOST_OF_NAME - 65)}…${hashText(name)}`;
}

/** Characters of a tool's name. */
const MOST_OF_NAME = 200;

const WORKSPACE_EFFECTS: ReadonlyMap<string, string> = new Map([
  ['bash', 'runs'],
  ['write_file', 'writes'],
  ['edit_file', 'writes'],
]);

/** What a call of one of our own tools does; undefined for one that changes nothing in the workspace. */
export function workspaceAsk({ tool, input }: ToolCallEvent): PermissionAsk | undefined {
  const effect = WORKSPACE_EFFECTS.get(tool);
  if (effect === undefined) return undefined;
  const { path, command, ...rest } = input;
  const paths = typeof path === 'string' ? [path] : [];
  const isPlain = typeof command === 'string' && Object.keys(rest).length === 0;
  return {
    tool,
    effect,
    paths,
    input: isPlain ? command : JSON.stringify(command === undefined ? rest : { command, ...rest }),
  };
}
