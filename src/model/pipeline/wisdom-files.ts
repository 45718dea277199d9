/** The wisdom of a session (docs/specification.md R10.15): four files of bullets. A bullet is in a file only once. */

export const WISDOM_FILES = ['learnings', 'decisions', 'conventions', 'issues'] as const;
export type WisdomFile = (typeof WISDOM_FILES)[number];

/** The most characters of a bullet. */
const LONGEST = 2_000;

/** A text as a bullet: one line, without a list mark. */
export const bulletOf = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:[-*+] )+/, '')
    .slice(0, LONGEST)
    .trim();

/** The bullets of a file, also of one that a person edited. */
export const bulletsIn = (file: string): string[] =>
  file.split(/\r?\n/).flatMap((line) => (/^\s*[-*+]\s+\S/.test(line) ? [bulletOf(line)] : []));

/** The new bullets among `texts`: those that the file does not have yet, each once. */
export function newBullets(file: string, texts: readonly string[]): string[] {
  const known = new Set(bulletsIn(file));
  return [...new Set(texts.map(bulletOf))].filter((bullet) => bullet !== '' && !known.has(bullet));
}

interface WisdomContribution {
  readonly file: WisdomFile;
  readonly text: string;
}

const CONTRIBUTION = new RegExp(`^[ \\t]*(?:[-*+][ \\t]+)?WISDOM (${WISDOM_FILES.join('|')}): *(\\S.*)$`, 'gm');

/** The wisdom lines of an agent's answer: `WISDOM learnings: …`. */
export const wisdomIn = (answer: string): WisdomContribution[] =>
  [...answer.matchAll(CONTRIBUTION)].flatMap(([, name, text]) =>
    WISDOM_FILES.flatMap((file) => (file === name && text !== undefined ? [{ file, text }] : [])),
  );
