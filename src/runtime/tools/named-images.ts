/** The images of a workspace that a prompt names by their paths. */
import type { ToolImage } from '../../agents/agent-contract.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { showImageTool } from './file-tools.ts';

/** More are left out: an agent can still read them itself. */
const MOST = 4;
/** Names that are looked at. */
const LOOKED_AT = 32;

const PATH = /(?<![\p{L}\p{N}_./@+-])[\p{L}\p{N}_./@+-]+\.(?:png|jpe?g|gif|webp)(?![\p{L}\p{N}])/giu;

/** A name that leads nowhere, outside of the workspace, or to something else is no image: nothing is thrown for it. */
export function namedImages(root: string, prompt: string): ToolImage[] {
  const images: ToolImage[] = [];
  const named = new Set(Array.from(prompt.matchAll(PATH), ([path]) => path));
  for (const path of [...named].slice(0, LOOKED_AT)) {
    if (images.length === MOST) break;
    try {
      const shown = showImageTool(root, { path });
      if (shown !== undefined) images.push(shown.image);
    } catch (error) {
      if (!isTeamError(error)) throw error;
    }
  }
  return images;
}
