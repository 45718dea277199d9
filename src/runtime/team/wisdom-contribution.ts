/** Adds to the wisdom of a session, for commands and teammates: each lesson is kept once and logged. */
import { UsageError } from '../../model/text/errors.ts';
import { quoted } from '../../model/text/document-problem.ts';
import { WISDOM_FILES, type WisdomFile } from '../../model/pipeline/wisdom-files.ts';
import { addWisdom } from '../../store/session/wisdom-store.ts';
import type { TeamHandle } from './team-handle.ts';

/** @throws UsageError `USAGE` naming the files */
export function parseWisdomFile(word: string): WisdomFile {
  const file = WISDOM_FILES.find((one) => one === word.replace(/\.md$/, ''));
  if (file) return file;
  throw new UsageError('USAGE', `Wisdom is kept in ${WISDOM_FILES.join(', ')}; ${quoted(word)} is none of them.`);
}

/** @returns the bullets that were new */
export async function contribute(
  { store, speaker }: Pick<TeamHandle, 'store' | 'speaker'>,
  file: WisdomFile,
  texts: readonly string[],
): Promise<readonly string[]> {
  const added = await addWisdom(store, file, texts);
  for (const bullet of added)
    store.events.append({ type: 'wisdom.added', member: speaker.name, text: `${file}: ${bullet}` });
  return added;
}
