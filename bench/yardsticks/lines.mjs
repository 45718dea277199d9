/** A file of JSON lines, as the v8 reference protocol writes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const inboxIn = (dir) => join(dir, 'inbox.jsonl');

export const lineOf = (who, content) =>
  `${JSON.stringify({ type: 'message', sender: who, content, timestamp: Date.now() / 1000 })}\n`;

/** The bodies of a file; a line that does not parse counts as damaged. */
export function bodiesIn(file) {
  const text = readFileSync(file, 'utf8');
  return text.split('\n').filter(Boolean).map(contentOf);
}

function contentOf(line) {
  try {
    return JSON.parse(line).content;
  } catch {
    return undefined; // Counted as damaged.
  }
}
