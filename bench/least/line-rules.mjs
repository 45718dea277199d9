/**
 * What a line must be to be mail (docs/specification.md R2), written by hand for the shape that our senders write: an
 * object that is not deep, writes no key twice, and has four keys of their types. Other keys are of any type here.
 */
const DEEPEST = 64;

const count = (text, char, most) => {
  let found = 0;
  for (let at = text.indexOf(char); at !== -1 && found <= most; at = text.indexOf(char, at + 1)) found += 1;
  return found;
};

export function whatIsWrong(line, message) {
  if (count(line, '{', DEEPEST) + count(line, '[', DEEPEST) > DEEPEST) return true;
  const keys = Object.keys(message).length;
  if (count(line, ':', keys) !== keys) return true;
  const { type, sender, content, timestamp, id } = message;
  return (
    typeof type !== 'string' ||
    type.length > 64 ||
    typeof sender !== 'string' ||
    sender.length > 128 ||
    typeof content !== 'string' ||
    !Number.isFinite(timestamp) ||
    typeof id !== 'string' ||
    id.length > 256
  );
}
