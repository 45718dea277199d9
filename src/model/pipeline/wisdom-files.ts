/** What a session has learned (S4): four files of bullets. The same bullet is there once. */

export const WISDOM_FILES = ['learnings', 'decisions', 'conventions', 'issues'] as const;
export type WisdomFile = (typeof WISDOM_FILES)[number];

/** Characters of a bullet. */
const LONGEST = 2_000;

/** A text as a bullet has it: one line, without the mark of a list. */
export const bulletOf = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:[-*+] )+/, '')
    .slice(0, LONGEST)
    .trim();

/** The bullets of a file, whoever wrote it. */
export const bulletsIn = (file: string): string[] =>
  file.split(/\r?\n/).flatMap((line) => (/^\s*[-*+]\s+\S/.test(line) ? [bulletOf(line)] : []));

/** Those of `texts` that a file does not have yet, each once, as bullets. */
export function newBullets(file: string, texts: readonly string[]): string[] {
  const known = new Set(bulletsIn(file));
  return [...new Set(texts.map(bulletOf))].filter((bullet) => bullet !== '' && !known.has(bullet));
}

export interface WisdomContribution {
  readonly file: WisdomFile;
  readonly text: string;
}

const CONTRIBUTION = new RegExp(`^\\s*(?:[-*+]\\s+)?WISDOM (${WISDOM_FILES.join('|')}): *(\\S.*)$`, 'gm');

/** What an agent's answer adds: its lines `WISDOM learnings: …`. */
export const wisdomIn = (answer: string): WisdomContribution[] =>
  [...answer.matchAll(CONTRIBUTION)].flatMap(([, name, text]) =>
    WISDOM_FILES.flatMap((file) => (file === name && text !== undefined ? [{ file, text }] : [])),
  );
