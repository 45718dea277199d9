/** The answer to a call of a tool. */
import type { ToolImage } from '../../agents/agent-contract.ts';

/** What a tool answers: a text for a model, and the same as data. */
export interface ToolResult<Data extends object = object> {
  readonly text: string;
  readonly data: Data;
}

/** The answer to a call of a tool. */
export type ToolAnswer =
  | ({ readonly ok: true; readonly image?: ToolImage | undefined } & ToolResult)
  | { readonly ok: false; readonly why: string };
