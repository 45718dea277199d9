/** What the command line does with a prompt of an editor: it makes the team, and leads it. */
import type { SessionMode } from '@agentclientprotocol/sdk';
import type { Prices, Report, RunOptions, TeamHandle, TeamPaths } from '../../app.ts';

export interface EditorPrompt {
  /** The words of the person. */
  readonly text: string;
  /** The directory of the session. */
  readonly cwd: string;
  /** The id of one of the modes. */
  readonly mode: string;
}

/** The person at the editor, while a team is made. */
export interface EditorPerson {
  /** Shows a remark. */
  say(text: string): void;
  /** Asks for the approval of a division of the work. */
  agrees(text: string): Promise<boolean>;
  /** Aborts when the person cancels, or the editor is gone. */
  readonly stop: AbortSignal;
}

export interface MadeTeam {
  readonly paths: TeamPaths;
  /** Whether the same prompt continues the team after an interruption. */
  readonly isContinuedByPrompt: boolean;
  /** By model; they take precedence over the built-in ones. */
  readonly prices: Prices | undefined;
  /** The limit of its tokens. */
  readonly maxTokens: number | undefined;
  /** Opens the team as its lead, to answer what waits for the person. */
  open(): TeamHandle;
  /** Leads the team up to its report. */
  lead(run: RunOptions): Promise<Report>;
  /** Archives a finished team that no person asks for by name. */
  finish(report: Report): Promise<Report>;
}

/** What is made of a prompt that needs no team. */
interface GivenAnswer {
  readonly answer: string;
}

export interface TeamWork {
  /** What a prompt can become in this directory; the first is the default. */
  modes(cwd: string): SessionMode[];
  /** @returns undefined if the person declined or stopped it */
  make(prompt: EditorPrompt, person: EditorPerson): Promise<MadeTeam | GivenAnswer | undefined>;
}
