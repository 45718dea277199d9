/** The AI SDK, loaded when the first model is called. */
import type * as Ai from 'ai';

export type Library = Pick<
  typeof Ai,
  'jsonSchema' | 'modelMessageSchema' | 'pruneMessages' | 'streamText' | 'tool' | 'wrapLanguageModel'
>;

export async function loadLibrary(): Promise<Library> {
  // No warnings on stdout: it may carry a protocol.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return import('ai');
}
