/** A bare `fs.watch` on one file. */
import { watch } from 'node:fs';
import { follow } from './followed-file.mjs';
import { inboxIn } from './lines.mjs';

export { prepare, producer } from './followed-file.mjs';

export const consumer = ({ dir }, onBody) => ({ start: () => void watch(inboxIn(dir), follow(dir, onBody)) });
