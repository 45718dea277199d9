/**
 * What a member's program waits for: an empty Node program, `teams send`, a call of an MCP tool. It runs as the task of a
 * member, isolated or not, and prints the medians in milliseconds as one line of JSON. `hang` starts processes that only
 * the end of the isolation ends.
 */
const { spawn, spawnSync } = require('node:child_process');
const { writeFileSync } = require('node:fs');
const { createInterface } = require('node:readline');

const [, , count, mark] = process.argv;
const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)];

function timed(file, args) {
  const began = performance.now();
  const { status, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: exit ${status}: ${stderr}`);
  return performance.now() - began;
}

async function mcp(calls) {
  const server = spawn('teams', ['mcp'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method, params) => {
    id += 1;
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value } = await lines.next();
      const answer = JSON.parse(value);
      if (answer.id === id) return answer;
    }
  };
  const clientInfo = { name: 'bench', version: '1' };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const seen = [];
  for (let call = 0; call < calls; call += 1) {
    const began = performance.now();
    const { result } = await ask('tools/call', { name: 'TaskList', arguments: {} });
    if (result?.isError !== undefined && result.isError) throw new Error(JSON.stringify(result));
    seen.push(performance.now() - began);
  }
  server.stdin.end();
  return median(seen.slice(Math.floor(calls / 5)));
}

async function main() {
  if (mark !== undefined) {
    for (let child = 0; child < 6; child += 1)
      spawnSync('/bin/sh', ['-c', `setsid sleep ${mark} >/dev/null 2>&1 & exit 0`]);
    writeFileSync('hangs', '');
    setInterval(() => {}, 1e6);
    return;
  }
  writeFileSync('empty.cjs', '');
  const [empty, send] = [[], []];
  for (let round = 0; round < Number(count); round += 1) {
    empty.push(timed(process.execPath, ['empty.cjs']));
    send.push(timed('teams', ['send', 'team-lead', 'hello']));
  }
  const call = await mcp(Number(count) * 10);
  writeFileSync('figures.json', JSON.stringify({ empty: median(empty), send: median(send), call }));
}
void main();
