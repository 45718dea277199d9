/** What was said in a session of an editor: written while it goes on, and read to show it again. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import {
  appendTranscript,
  findTeam,
  isName,
  isTeamError,
  readTranscript,
  realClock,
  timestamp,
  type TeamPaths,
  type TranscriptRecord,
} from '../../app.ts';

interface TranscribedSession {
  readonly id: string;
  readonly cwd: string;
}

export class Transcript {
  readonly #session: TranscribedSession;

  constructor(session: TranscribedSession) {
    this.#session = session;
  }

  /** The editor may continue the session in another process before it has a prompt. */
  opened(): void {
    this.#append({ kind: 'opened', at: timestamp(realClock.now()), cwd: this.#session.cwd });
  }

  prompted(text: string): void {
    this.#append({ kind: 'prompt', at: timestamp(realClock.now()), text });
  }

  said(text: string): void {
    this.#append({ kind: 'answer', at: timestamp(realClock.now()), text });
  }

  led({ root, name }: TeamPaths): void {
    this.#append({ kind: 'team', at: timestamp(realClock.now()), root, team: name });
  }

  switched(mode: string): void {
    this.#append({ kind: 'mode', at: timestamp(realClock.now()), mode });
  }

  /** The mode that was chosen last. */
  mode(): string | undefined {
    return readTranscript(this.#session.id)?.findLast((record) => record.kind === 'mode')?.mode;
  }

  cost(usd: number | undefined): void {
    this.#append({ kind: 'cost', at: timestamp(realClock.now()), usd: usd ?? null });
  }

  /** What the session has cost so far; undefined if a price is not known. */
  spent(): number | undefined {
    const last = readTranscript(this.#session.id)?.findLast((record) => record.kind === 'cost');
    return last === undefined ? 0 : (last.usd ?? undefined);
  }

  /** What was said, as updates of the protocol, and the last team, if it is still there. */
  read(): { readonly updates: readonly SessionUpdate[]; readonly team: TeamPaths | undefined } {
    const records = readTranscript(this.#session.id) ?? [];
    const last = records.findLast((record) => record.kind === 'team');
    const team = last !== undefined && isName(last.team) ? findTeam(last.root, last.team)?.paths : undefined;
    return { updates: records.flatMap(updateOf), team };
  }

  /** A transcript that cannot be written must not end the work of a team. */
  #append(record: TranscriptRecord): void {
    try {
      appendTranscript(this.#session.id, record);
    } catch (error) {
      if (!isTeamError(error)) throw error;
    }
  }
}

function updateOf(record: TranscriptRecord): SessionUpdate[] {
  if (record.kind !== 'prompt' && record.kind !== 'answer') return [];
  const content = { type: 'text' as const, text: record.text };
  return [{ sessionUpdate: record.kind === 'prompt' ? 'user_message_chunk' : 'agent_message_chunk', content }];
}
