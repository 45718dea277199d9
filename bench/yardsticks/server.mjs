/** A server for one run of the bench: on a free port of this machine, with its data in the run's directory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.once('close', () => socket.destroy()).once('connect', () => socket.end());
  });

/**
 * @param {string} file
 * @param {(port: number) => string[]} argv
 * @returns {Promise<{port: number, stop: () => Promise<void>}>}
 */
export async function startServer(file, argv) {
  const port = await freePort();
  const child = spawn(file, argv(port), { stdio: 'ignore' });
  const ended = once(child, 'exit');
  ended.catch(() => {}); // If it could not start at all, the port stays silent; the code below reports that.
  const stop = async () => {
    child.kill('SIGKILL');
    await ended.catch(() => {});
  };
  for (let tries = 0; tries < 200; tries += 1) {
    if (await answers(port)) return { port, stop };
    await setTimeout(50);
  }
  await stop();
  throw new Error(`${file} did not start.`);
}

export const startRedis = (dir) =>
  startServer('redis-server', (port) => ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '']);

/** Its streams are on disk, as a team's mail is. */
export const startNats = (dir) =>
  startServer('nats-server', (port) => ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', dir]);
