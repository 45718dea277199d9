/** The prompt of an editor as the words of a task. Pure. */
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { fileURLToPath } from 'node:url';

/**
 * A link to a file becomes its path; the text of an embedded file follows the words. Images and sounds are left out: the
 * agent says that it takes none.
 */
export function promptText(blocks: readonly ContentBlock[]): string {
  const words = blocks.map(wordsOf).join('').trim();
  const files = blocks.flatMap(fileOf);
  return [words, ...files].filter((part) => part !== '').join('\n\n');
}

function wordsOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') return placeOf(block.uri);
  if (block.type === 'resource') return placeOf(block.resource.uri);
  return '';
}

function fileOf(block: ContentBlock): string[] {
  if (block.type !== 'resource' || !('text' in block.resource)) return [];
  return [`== ${placeOf(block.resource.uri)} ==\n${block.resource.text}`];
}

/** The path of a file's URI; any other URI as it is. */
function placeOf(uri: string): string {
  if (!uri.startsWith('file://')) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri;
  }
}
