/**
 * Signatures of what crosses machines: Ed25519 (RFC 8032) with a key that is made from the user's own key. A machine with
 * another state directory has not that key; it believes a signature if it was told the public key
 * (/docs/decisions/151-signatures-across-machines.md).
 */
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { publicKeyText } from '../../model/text/public-key.ts';
import { realDisk, type Disk } from '../files/disk.ts';
import { canonical, openSeal, type Seal } from './seal.ts';
import { isKeyTrusted } from './trust.ts';

/** The beginnings of keys in PKCS #8 and SPKI (RFC 8410), before their 32 bytes. */
const PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC = Buffer.from('302a300506032b6570032100', 'hex');

const SIGNATURE = /^(ed25519:[\w-]{43}):([\w-]{86})$/;

export class Signatures {
  readonly #seal: Seal;
  readonly #disk: Disk;
  readonly #given: () => readonly string[];
  #own: { readonly secret: KeyObject; readonly key: string } | undefined;

  /** @param given public keys that this process was told */
  constructor(seal: Seal, disk: Disk, given: () => readonly string[]) {
    this.#seal = seal;
    this.#disk = disk;
    this.#given = given;
  }

  /** The user's public key on this machine: `ed25519:` and 43 characters. */
  get key(): string {
    return this.#keys.key;
  }

  /** @returns the public key and the signature; `seal` and `signature` of the object are not signed */
  sign(said: object): string {
    const { secret, key } = this.#keys;
    return `${key}:${sign(null, textOf(said), secret).toString('base64url')}`;
  }

  /** Whether it is the signature of this object by the user's own key, or by one that the user trusts. */
  holds(said: object, signature: unknown): boolean {
    const signer = signerOf(said, signature);
    return signer !== undefined && this.#isTrusted(signer);
  }

  /** Who signed it, if the signature is right and the user does not trust the key. */
  strangerOf(said: object, signature: unknown): string | undefined {
    const signer = signerOf(said, signature);
    return signer === undefined || this.#isTrusted(signer) ? undefined : signer;
  }

  #isTrusted(key: string): boolean {
    return this.#given().includes(key) || isKeyTrusted(key, this.#disk) || key === this.key;
  }

  get #keys() {
    if (this.#own === undefined) {
      const seed = this.#seal.secretFor('teams: Ed25519 signing key');
      const secret = createPrivateKey({ key: Buffer.concat([PRIVATE, seed]), format: 'der', type: 'pkcs8' });
      const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
      this.#own = { secret, key: publicKeyText(spki.subarray(PUBLIC.length)) };
    }
    return this.#own;
  }
}

/** The public key of this user on this machine. @throws StoreError those of `openSeal` */
export const ownPublicKey = (): string => new Signatures(openSeal(realDisk), realDisk, () => []).key;

/** The key whose signature of this object it is; undefined if it is none. */
function signerOf(said: object, signature: unknown): string | undefined {
  const [, key = '', made = ''] = SIGNATURE.exec(typeof signature === 'string' ? signature : '') ?? [];
  if (key === '') return undefined;
  const bytes = Buffer.from(key.slice(key.indexOf(':') + 1), 'base64url');
  try {
    const known = createPublicKey({ key: Buffer.concat([PUBLIC, bytes]), format: 'der', type: 'spki' });
    return verify(null, textOf(said), known, Buffer.from(made, 'base64url')) ? key : undefined;
  } catch {
    // No point of the curve.
    return undefined;
  }
}

const textOf = (said: object): Buffer =>
  Buffer.from(`teams signature 1\n${canonical({ ...said, seal: undefined, signature: undefined })}`);
