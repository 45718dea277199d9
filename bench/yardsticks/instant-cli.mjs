/** Replaces `claude` in stream-json: answers each message at once, so that only the cost of its driver is measured. */
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const session_id = '00000000-0000-4000-8000-000000000000';
const usage = { input_tokens: 1, output_tokens: 1 };

for await (const line of createInterface({ input: process.stdin })) {
  const { type, request_id, ...rest } = JSON.parse(line);
  if (type === 'control_request')
    say({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  if (type !== 'user') continue;
  say({ ...rest, type: 'user', session_id, isReplay: true });
  say({ type: 'system', subtype: 'init', session_id, tools: [], mcp_servers: [], model: 'instant' });
  say({
    type: 'assistant',
    session_id,
    message: { model: 'instant', content: [{ type: 'text', text: 'Done.' }], usage },
  });
  say({ type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id, usage, total_cost_usd: 0 });
}
