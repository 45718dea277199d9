/** An agent whose change came back with marks of a conflict, and that leaves them there: they do not land. */
import { expect, it } from 'vitest';
import { scene } from '../support/tree-scene.ts';

/** The first time with marks it adds to another file and leaves them; then it keeps both lines. */
const command = `
  if grep -q '<<<<<<<' a.txt; then
    if test -f seen.log; then sed -i '/^[<=>]\\{7\\}/d' a.txt; else touch seen.log; echo more >>more.txt; fi
  else sleep 0.3; echo "$TEAMS_MEMBER" >>a.txt; fi`;

it('a change that still has the marks of its conflict goes back once more', { timeout: 60_000 }, async () => {
  const members = ['ada', 'bob'].map((name) => ({ name, agent: { kind: 'exec', command } }));
  const tasks = ['One', 'Two'].map((subject, at) => ({ subject, description: subject, owner: members[at]?.name }));
  const { teams, landed } = scene({ members, tasks });
  const { code, out, err } = await teams('run', 'p.json', '--quiet');
  expect(code, `${out}${err}`).toBe(0);
  expect(landed('a.txt')).toMatch(/^one\ntwo\nthree\n(ada\nbob|bob\nada)\n$/);
  expect(landed('more.txt')).toBe('more\n');
  expect((await teams('log', 'p', '--json')).out).toMatch(/"why":"[^"]*marks of a conflict are still in a\.txt/);
});
