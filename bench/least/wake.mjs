/**
 * A wake between two machines with the processes, sockets, rows and files that the rules ask for, and nothing else: a
 * sender, its relay, the relay of the other machine, and the member. A row is committed and notified with its text, and
 * the text is written to an inbox; then the bell is rung. No seal, no lock, no quota, no id, no other mailbox.
 *
 *   node least/wake.mjs send|deliver URL PLACE    a relay; prints a line when it is ready, and ends with its stdin
 */
import { appendFileSync, openSync, readSync, watch, writeFileSync, writeSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const TABLE = 'create table least_mail (number bigint generated always as identity primary key, line text)';
export const FILE = fileURLToPath(import.meta.url);

const lineOf = (content) => JSON.stringify({ type: 'message', sender: 'lead', content });

export function producer({ place }) {
  const socket = createConnection(join(place, 'least.socket'));
  const open = [];
  socket.on('data', (bytes) => {
    for (const byte of bytes) if (byte === 10) open.shift()();
  });
  const send = (content) =>
    new Promise((resolve) => {
      open.push(resolve);
      socket.write(`${lineOf(content)}\n`);
    });
  return { add: (bodies) => Promise.all(bodies.map(send)) };
}

export function consumer({ place }, onBody) {
  const inbox = openSync(join(place, 'least-inbox.jsonl'), 'r');
  const buffer = Buffer.allocUnsafe(64 * 1024);
  let at = 0;
  const look = () => {
    for (let read = readSync(inbox, buffer, 0, buffer.length, at); read > 0;) {
      const end = buffer.subarray(0, read).lastIndexOf(10) + 1;
      at += end;
      for (const line of buffer.utf8Slice(0, end).split('\n')) if (line !== '') onBody(JSON.parse(line).content);
      read = end === 0 ? 0 : readSync(inbox, buffer, 0, buffer.length, at);
    }
  };
  return { start: () => watch(join(place, 'least.bell'), look), close: () => {} };
}

const INSERT = `with put as (insert into least_mail (line) values ($1) returning number)
  select pg_notify('least', $1) from put`;

async function sendingRelay(client, place) {
  const server = createServer((socket) => {
    let rest = '';
    socket.setEncoding('utf8').on('data', async (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        await client.query({ name: 'put', text: INSERT, values: [line] });
        socket.write('\n');
      }
    });
  });
  await new Promise((resolve) => server.listen(join(place, 'least.socket'), resolve));
}

async function deliveringRelay(client, place) {
  const [inbox, path] = ['least-inbox.jsonl', 'least.bell'].map((name) => join(place, name));
  writeFileSync(inbox, '');
  writeFileSync(path, '');
  const bell = openSync(path, 'r+');
  client.on('notification', ({ payload }) => {
    appendFileSync(inbox, `${payload}\n`);
    writeSync(bell, '!', 0);
  });
  await client.query('listen least');
}

async function main([role, url, place]) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  await (role === 'send' ? sendingRelay : deliveringRelay)(client, place);
  console.log('ready');
  process.stdin.resume().once('end', () => process.exit());
}

if (process.argv[1] === FILE) await main(process.argv.slice(2));
