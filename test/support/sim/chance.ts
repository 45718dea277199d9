/**
 * Replaces `randomBytes` of `node:crypto` and `ulid` in a simulation, by `vi.mock`: unique names for each life that are
 * the same in each replay of the life.
 */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

let life = 0;
let made = 0;

/** From here on names are made for this life, starting with its first one. */
export function nameAs(number: number): void {
  life = number;
  made = 0;
}

const inBase32 = (number: number, width: number): string => {
  let text = '';
  for (let rest = number; text.length < width; rest = Math.floor(rest / 32)) text = `${DIGITS[rest % 32] ?? ''}${text}`;
  return text;
};

export const ulid = (): string => `01${inBase32(life, 12)}${inBase32((made += 1), 12)}`;

export const TIME_LEN = 10;

/** The next name, whatever the one before: two makers of names of one life make none twice. */
export const incrementBase32 = (): string => ulid().slice(TIME_LEN);

export function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUInt16BE(life, 0);
  bytes.writeUInt16BE((made += 1), 2);
  return bytes;
}
