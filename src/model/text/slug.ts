/** Makes legal names from any text: a plan's file name, a task's first words. */
import { isName, type Name } from './names.ts';

const LONGEST = 64;

const squeeze = (text: string): string => {
  const words = text
    .slice(0, 4 * LONGEST)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return words.slice(words.startsWith('-') ? 1 : 0, LONGEST);
};

const trimEnd = (text: string): string => (text.endsWith('-') ? text.slice(0, -1) : text);

/**
 * @param text any text
 * @param prefix comes first if the slug alone is empty or a reserved word
 */
export function slug(text: string, prefix: Name): Name {
  const plain = trimEnd(squeeze(text));
  if (isName(plain)) return plain;
  const prefixed = trimEnd(squeeze(`${prefix}-${plain}`));
  return isName(prefixed) ? prefixed : prefix;
}
