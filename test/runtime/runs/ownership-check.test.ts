/**
 * The ownership gate of a run, with git and without: what it finds, which member is told, and that nothing is reverted.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workplace } from '../../support/cli.ts';

const member = (name: string, command?: string) => ({
  name,
  agent: { kind: 'exec', command },
});
/** Bob works after Ada, late enough that the time of a file tells which of them worked. */
const LATER = 'sleep 0.2; ';

const run = async (where: { git: boolean; bob: string; ada?: string; shared?: string[] }) => {
  const place = new Workplace();
  place.put('src/a.txt', 'a\n');
  const tasks = [
    { subject: 'Do a', owner: 'ada', run: 'echo a >src/a.txt', files: ['src/a.txt'] },
    { subject: 'Do b', owner: 'bob', run: `${where.bob}; echo b >src/b.txt`, files: ['src/b.txt'], blockedBy: [1] },
  ];
  const gates = { ownership: true, build: 'touch built' };
  const plan = {
    name: 'own',
    members: [member('ada', where.ada), member('bob')],
    tasks,
    gates,
    sharedFiles: where.shared ?? [],
  };
  place.put('plan.json', JSON.stringify(plan));
  const at = (file: string): string => join(place.root, file);
  if (!where.git) return { ...(await place.teams('run', 'plan.json', '--quiet')), at };
  // The output of a run in the workspace is not an edit of a member.
  const run = 'git init -q . && echo home >.gitignore && teams run plan.json --quiet >run.log 2>run.err';
  const { code } = await place.shell(run);
  return { code, out: readFileSync(at('run.log'), 'utf8'), at };
};

describe('the ownership gate', () => {
  it.each([[true], [false]])('the ownership gate says what it could not see (git: %s)', async (git) => {
    const place = new Workplace();
    place.put('src/a.txt', 'a\n');
    place.put('src/gone.txt', 'a\n');
    // Both work until the other has begun, so their times overlap.
    const both = (own: string, other: string): string => `touch ${own}; until test -f ${other}; do sleep 0.02; done`;
    const tasks = [
      {
        subject: 'Do a',
        owner: 'ada',
        run: `${both('out-1', 'out-2')}; echo x >src/b.txt; rm src/gone.txt`,
        files: ['src/a.txt', 'out-1', 'src/gone.txt'],
      },
      { subject: 'Do b', owner: 'bob', run: `${both('out-2', 'out-1')}; sleep 0.5`, files: ['src/b.txt', 'out-2'] },
    ];
    const plan = { name: 'own', members: [member('ada'), member('bob')], tasks, gates: { ownership: true } };
    place.put('plan.json', JSON.stringify(plan));
    const start = git ? 'git init -q . && echo home >.gitignore && ' : '';
    const { code, out } = await place.shell(`${start}teams run plan.json --quiet --strict`);
    expect(code, out).toBe(0);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /ownership pass: it cannot be told who changed \d files: .*src\/b\.txt.*\(ada and bob worked when it was changed\)/,
    );
    expect(out).toMatch(/src\/gone\.txt \(it was removed, and nothing says when\)/);
  });

  it.each([[true], [false]])(
    'the ownership gate passes if every member changed only its own files (git: %s)',
    async (git) => {
      const { code, out } = await run({ git, bob: 'true' });
      expect(code, out).toBe(0);
      expect(out).not.toContain('ownership');
    },
  );

  it.each([[true], [false]])(
    'the ownership gate lists unowned and shared files, exit 1, and reverts nothing (git: %s)',
    async (git) => {
      const { code, out, at } = await run({
        git,
        bob: 'echo x >stray.txt; echo {} >package.json',
        shared: ['package.json'],
      });
      expect(code).toBe(1);
      expect(out).toMatch(/gate ownership: package\.json: it is a shared file.*; stray\.txt: no member owns it/);
      expect(['stray.txt', 'src/b.txt', 'built'].filter((file) => !existsSync(at(file)))).toEqual([]);
    },
  );

  it('the ownership gate accepts what the lead granted to a member, and nothing else', async () => {
    const ask = 'teams send lead "I need other.txt, src/a.txt and package.json" --kind boundary';
    const bob = `${ask} && until teams inbox --json >told && grep -q BOUNDARY told; do sleep 0.1; done; echo x >other.txt`;
    const { code, out, at } = await run({ git: true, bob, shared: ['package.json'] });
    const told = readFileSync(at('told'), 'utf8');
    expect(told).toContain('BOUNDARY GRANTED: other.txt, src/a.txt');
    expect(told).toContain('BOUNDARY REFUSED: package.json is a shared file');
    expect(out).toMatch(/gate ownership: told: no member owns it; bob worked then\n/);
    expect(out).toContain(
      '  [OPEN] package.json: I need other.txt, src/a.txt and package.json (bob): not applied yet\n',
    );
    expect(code).toBe(1);
  });

  it('the owner of a file that another member changed must review it, also if the time of the file was set back; then it is settled', async () => {
    const { code, out, at } = await run({
      git: true,
      bob: `${LATER}echo mine >src/a.txt; touch -d '1 hour ago' src/a.txt`,
      ada: 'cat >seen',
    });
    expect(out).toMatch(/\[DONE\] #3: \[no-cascade\] Check the changes of other members in src\/a\.txt \(ada/);
    expect(readFileSync(at('seen'), 'utf8')).toContain("src/a.txt: it is ada's, and bob worked when it was changed");
    // No member owns the other file that Ada writes.
    expect({ code, listed: out.includes('seen: no member owns it') }).toEqual({ code: 1, listed: true });
    expect(out).not.toMatch(/gate ownership:.*src\/a\.txt/);
  });
});
