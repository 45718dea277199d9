/** What an editor is told of spending, and of its MCP servers that are not used. */
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { like } from '../../agents/like.ts';
import { ModelServer } from '../../fixtures/model-server/server.ts';
import { Editor, type EditorSession } from '../../support/acp-editor.ts';
import { Workplace } from '../../support/cli.ts';

let place: Workplace;
beforeEach(() => {
  place = new Workplace();
});

/** A plan of this name, whose only member is a program that tells its cost, 0.25 USD a prompt, or tells none. */
async function planned(name: string, tells: 'tells cost' | 'tells no cost'): Promise<string> {
  const server = await ModelServer.start({ script: () => ({ text: 'Done.', usage: { input: 100, output: 10 } }) });
  onTestFinished(() => server.close());
  const agent = { kind: 'acp', command: like('acp'), env: { LIKE_URL: server.url, MISBEHAVES: tells } };
  const tasks = ['One', 'Two'].map((subject) => ({ subject, owner: 'ada', prompt: subject }));
  place.put(`${name}.json`, JSON.stringify({ name, members: [{ name: 'ada', agent }], tasks }));
  return `${name}.json`;
}

const told = (session: EditorSession) =>
  session.updates('usage_update').map(({ used, size, cost }) => ({ used, size, cost }));
const usd = (amount: number) => ({ amount, currency: 'USD' });

test('the tokens of the present team and the cost of the session are told, also of a session that is continued', async () => {
  const [first, second] = [await planned('first', 'tells cost'), await planned('second', 'tells cost')];
  const editor = await Editor.on(place);
  const session = await editor.session();
  await session.prompt(first);
  expect(told(session)[0]).toEqual({ used: 110, size: 0, cost: usd(0.25) });
  expect(told(session).at(-1)).toEqual({ used: 220, size: 0, cost: usd(0.5) });
  await editor.leave();

  await using later = await Editor.on(place, '--max-tokens', '5000');
  const again = await later.continued(session.id);
  await again.prompt(second);
  expect(told(again).at(-1)).toEqual({ used: 220, size: 5000, cost: usd(1) });
});

test('without a price the cost is not told, from then on', async () => {
  const [unpriced, priced] = [await planned('unpriced', 'tells no cost'), await planned('priced', 'tells cost')];
  await using editor = await Editor.on(place);
  const session = await editor.session();
  await session.prompt(unpriced);
  expect(told(session).at(-1)).toEqual({ used: 220, size: 0, cost: null });
  await session.prompt(priced);
  expect(told(session).at(-1)).toEqual({ used: 220, size: 0, cost: null });
});

test('commands use no model, and nothing is told', async () => {
  place.put(
    'plan.yaml',
    'name: tiny\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: Do, run: "true"}]\n',
  );
  await using editor = await Editor.on(place);
  const session = await editor.session();
  await session.prompt('plan.yaml');
  expect(told(session)).toEqual([]);
});

test('MCP servers of the editor are not passed on, which the first prompt says once', async () => {
  place.put(
    'plan.yaml',
    'name: tiny\nmembers: [{name: ada, agent: {kind: exec}}]\ntasks: [{subject: Do, run: "true"}]\n',
  );
  await using editor = await Editor.on(place);
  const session = await editor.session(undefined, [{ name: 'issues', command: '/bin/issues', args: [], env: [] }]);
  for (let times = 0; times < 2; times += 1) await session.prompt('plan.yaml');
  expect(session.thought().match(/MCP servers of the editor are not passed on to members: issues\./g)).toHaveLength(1);
});
