/** The words after `teams run`: a count with a role, a template, a task, or an error that suggests the right words. */
import { describe, expect, it } from 'vitest';
import { parseRunWords } from '../../../src/model/plan/run-spec.ts';

const known = {
  roles: new Set(['executor', 'designer', 'style-reviewer']),
  templates: new Set(['build-team', 'audit-team', 'fullstack-team']),
  maxAgents: 5,
};
const said = (...words: string[]) => parseRunWords(words, known);

describe('the words of a run', () => {
  it.each([
    ['a count and a role', ['3:executor', 'fix all errors'], 'count', 'fix all errors'],
    ['both in one quoted text', ['3:executor fix all errors'], 'count', 'fix all errors'],
    ['words without quotes', ['2:designer', 'make', 'it', 'nice'], 'count', 'make it nice'],
    ['a template', ['build-team', 'add profiles'], 'template', 'add profiles'],
    ['a template in one quoted text', ['audit-team look at payments'], 'template', 'look at payments'],
    ['a task alone', ['fix the login'], 'open', 'fix the login'],
    ['a task that begins with a number', ['3 bugs in the login'], 'open', '3 bugs in the login'],
    ['a task with a colon later', ['fix: the login'], 'open', 'fix: the login'],
    ['an address', ['https://x.test:8080/a', 'is slow'], 'open', 'https://x.test:8080/a is slow'],
    ['a file and its line', ['src/v2/a.ts:12 crashes'], 'open', 'src/v2/a.ts:12 crashes'],
    ['a team in a sentence', ['cross-team page is slow'], 'open', 'cross-team page is slow'],
    ['a word like a team', ['steam', 'login', 'fails'], 'open', 'steam login fails'],
  ])('the words of a run are %s', (_, words, kind, task) => {
    expect(said(...words)).toMatchObject({ ok: true, spec: { kind }, task });
  });

  it.each([
    ['more workers than there may be', ['6:executor', 'x'], /Expected 1 to 5 workers .* got "6"/],
    ['no worker', ['0:executor', 'x'], /Expected 1 to 5 workers/],
    ['half a worker', ['2.5:executor', 'x'], /Expected 1 to 5 workers/],
    ['less than none', ['-1:executor', 'x'], /Expected 1 to 5 workers/],
    ['a count as a word', ['two:executor', 'x'], /Expected 1 to 5 workers/],
    ['no count', [':executor', 'x'], /Expected 1 to 5 workers/],
    ['no role', ['3:', 'x'], /"3:" names no role; for example 3:executor\./],
    ['an unknown role', ['3:exekutor', 'x'], /no role "exekutor"; did you mean "executor"\?/],
    ['an unknown role, in a quoted text', ['3:wizard fix it'], /no role "wizard"\. Known are executor/],
    ['no colon', ['3executor', 'x'], /Did you mean 3:executor\?/],
    ['role and count in the wrong order', ['executor:3', 'x'], /Did you mean 3:executor\?/],
    ['a space instead of the colon', ['3', 'executor', 'x'], /Did you mean 3:executor\?/],
    ['a mistyped template', ['buld-team', 'x'], /no template "buld-team"; did you mean "build-team"\?/],
    ['a template with an underscore', ['fullstack_team', 'x'], /did you mean "fullstack-team"\?/],
    ['a template without its hyphen', ['AuditTeam', 'x'], /did you mean "audit-team"\?/],
    ['an unknown template', ['legal-team', 'x'], /no template "legal-team"\. Known are/],
    ['a spec without a task', ['3:executor'], /No task is given.*teams run 3:executor "TASK"/],
    ['nothing', [' '], /No task is given/],
  ])('the words of a run are an error, and never a task: %s', (_, words, why) => {
    const parsed = said(...words);
    expect(parsed).toMatchObject({ ok: false });
    expect(parsed.ok ? '' : parsed.why).toMatch(why);
  });
});
