/**
 * The messages of a lead to its reaper: one JSON object a line. (zod adds about 15 ms to the reaper's start; no process
 * waits for it.)
 */
import { markForm } from '../model/agent/plain-agent.ts';
import { readBy } from '../model/text/plain-fields.ts';
import { reaperMessageSchema, type Mark, type ReaperMessage } from '../model/agent/process-mark.ts';

export const writeMessage = (message: ReaperMessage): string => `${JSON.stringify(message)}\n`;

/** @returns undefined for anything but a whole message */
export const parseMessage = (line: string): ReaperMessage | undefined =>
  reaperMessageSchema.safeParse(parseJson(line)).data;

/** A mark from plain data; undefined for anything else. */
export const parseMark = (value: unknown): Mark | undefined =>
  value === undefined ? undefined : readBy(markForm, value);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A line that its writer's death cut short is no message.
    return undefined;
  }
}
