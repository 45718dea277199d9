/** chokidar on one file, with its defaults. */
import { once } from 'node:events';
import { watch } from 'chokidar';
import { follow } from './followed-file.mjs';
import { inboxIn } from './lines.mjs';

export { prepare, producer } from './followed-file.mjs';

export const consumer = ({ dir }, onBody) => ({
  async start() {
    const watcher = watch(inboxIn(dir)).on('change', follow(dir, onBody));
    await once(watcher, 'ready');
  },
});
