/** The pipe from a lead to its reaper: one JSON object a line. (zod adds some 15 ms to its start; nobody waits for it.) */
import { markSchema, reaperMessageSchema, type Mark, type ReaperMessage } from '../model/agent/process-mark.ts';

export const writeMessage = (message: ReaperMessage): string => `${JSON.stringify(message)}\n`;

/** @returns undefined for anything that is not a whole message */
export const parseMessage = (line: string): ReaperMessage | undefined =>
  reaperMessageSchema.safeParse(parseJson(line)).data;

/** A mark that was recorded as plain data; undefined for anything else. */
export const parseMark = (value: unknown): Mark | undefined => markSchema.safeParse(value).data;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A line cut short by its writer's death is no message.
    return undefined;
  }
}
