/** Public keys as people write them: `ed25519:` and 32 bytes in base64url. */
import { ENV } from './environment.ts';
import { UsageError } from './errors.ts';

const FORM = /^ed25519:([\w-]{43})$/;

/** @param bytes 32 */
export const publicKeyText = (bytes: Uint8Array): string => `ed25519:${Buffer.from(bytes).toString('base64url')}`;

/** Whether it is written as a public key; one key is written in one way only. */
export function isPublicKey(text: string): boolean {
  const [, bytes = ''] = FORM.exec(text) ?? [];
  return bytes !== '' && publicKeyText(Buffer.from(bytes, 'base64url')) === text;
}

/** What a public key must look like, for a text that is none. */
export const noPublicKey = (text: string): string =>
  `Expected a public key such as ed25519:… with 43 characters, as \`teams store check\` shows it on the machine that signs, got ${JSON.stringify(text.slice(0, 80))}.`;

/**
 * The keys of `TEAMS_TRUST`.
 *
 * @throws UsageError `USAGE` for one that is none
 */
export function keysIn(environment: Readonly<Record<string, string | undefined>>): string[] {
  const keys = (environment[ENV.trust] ?? '').split(/[\s,]+/).filter((one) => one !== '');
  const wrong = keys.find((key) => !isPublicKey(key));
  if (wrong !== undefined) throw new UsageError('USAGE', `${ENV.trust}: ${noPublicKey(wrong)}`);
  return keys;
}
