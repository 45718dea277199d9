/**
 * The shared-file step of a run: workers request changes of a shared file, the lead's agent makes them, the gates check
 * them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Workplace } from '../../support/cli.ts';

const ada = 'echo a >src/a.txt; echo Done.; echo "SHARED conf/all.txt: add a"';
const bob =
  'echo b >src/b.txt; echo "SHARED conf/all.txt: add b"; echo "SHARED conf/all.txt: add a"; echo "SHARED src/a.txt: mend it"';

const run = async (lead: string | undefined) => {
  const place = new Workplace();
  place.put('src/a.txt', '');
  place.put('conf/all.txt', '');
  place.put('lead.sh', lead ?? '');
  const members = ['ada', 'bob'].map((name) => ({ name, agent: { kind: 'exec' } }));
  const plan = {
    name: 'sharing',
    members,
    tasks: [
      { subject: 'Do a', owner: 'ada', run: ada, files: ['src/a.txt'] },
      { subject: 'Do b', owner: 'bob', run: bob, files: ['src/b.txt'], blockedBy: [1] },
    ],
    gates: { ownership: true, build: 'grep -qx a conf/all.txt' },
    sharedFiles: ['conf/**'],
    lead: lead === undefined ? undefined : { kind: 'exec', command: ['sh', 'lead.sh'] },
  };
  place.put('plan.json', JSON.stringify(plan));
  const { code, out } = await place.teams('run', 'plan.json', '--quiet');
  return { code, out, read: (file: string) => readFileSync(join(place.root, file), 'utf8') };
};

describe('the shared-file step', () => {
  it('the shared-file step is one turn of the lead’s agent for all requests, before the build', async () => {
    const { code, out, read } = await run('cat >>asked; echo a >>conf/all.txt; echo DONE 1; echo OPEN 2: not needed');
    expect(code, out).toBe(1);
    expect(out).toContain(`Shared Files:
  [DONE] conf/all.txt: add a (ada, task #1)
  [OPEN] conf/all.txt: add b (bob, task #2): not needed
  [OPEN] src/a.txt: mend it (bob, task #2): src/a.txt is not a shared file; ada owns it
`);
    // Its own file is not shared: that is the only failure here.
    expect(out).toContain("  gate shared: the lead's agent changed files that are not shared: asked\n");
    expect(out).toContain('\nBuild: pass\n');
    expect(read('asked').match(/^--- \w+ \d\. .*/gm)).toHaveLength(2);
  });

  it('the shared-file step lists open requests if the lead has no agent', async () => {
    const { code, out } = await run(undefined);
    expect(out).toContain('  [OPEN] conf/all.txt: add a (ada, task #1): not applied yet\n');
    expect(out).toContain('- shared skipped: 3 of 3 open; the lead has no agent that could apply them\n');
    // The requested change is missing, and the build says so.
    expect({ code, failed: out.includes('\nBuild: fail\n') }).toEqual({ code: 1, failed: true });
  });
});
