/** The messages of a lead to its reaper: one JSON object a line. The reaper makes no schema for what a lead writes. */
import { markForm, reaperMessageForm } from '../model/agent/plain-agent.ts';
import { jsonOf, readBy } from '../model/text/plain-fields.ts';
import type { Mark, ReaperMessage } from '../model/agent/process-mark.ts';

export const writeMessage = (message: ReaperMessage): string => `${JSON.stringify(message)}\n`;

/** @returns undefined for anything but a whole message */
export function parseMessage(line: string): ReaperMessage | undefined {
  const value = jsonOf(line);
  return value === undefined ? undefined : readBy(reaperMessageForm, value);
}

/** A mark from plain data; undefined for anything else. */
export const parseMark = (value: unknown): Mark | undefined =>
  value === undefined ? undefined : readBy(markForm, value);
