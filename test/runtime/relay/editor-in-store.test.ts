/** An editor (ACP) whose teams are in a store: that of the agent's command, or of the directory of a session. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Editor } from '../../support/acp-editor.ts';
import { until } from '../../support/cli.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { running } from '../../support/processes.ts';
import { useStore } from '../../support/store-scene.ts';
import { StoreUser } from '../../support/store-user.ts';

const AGENT = ['--agent', 'exec:echo looked', '--yes'];

describe.skipIf(!hasPostgres)('an editor whose teams are in a store', { timeout: 90_000 }, () => {
  const store = useStore();

  async function endRelays(): Promise<void> {
    const own = () => running().filter(({ command }) => command.includes(`store relay --root ${store.place.root}/`));
    for (const { pid } of own()) process.kill(pid, 'SIGTERM');
    await until(() => own().length === 0, 'the relays end');
  }

  async function lead(editor: Editor, cwd?: string): Promise<void> {
    const session = await editor.session(cwd);
    await session.switch('v8');
    expect(await session.prompt('Look')).toMatchObject({ stopReason: 'end_turn', _meta: { teams: { exitCode: 0 } } });
    expect(session.said()).toContain('TEAM COMPLETE');
  }

  async function modesIn(editor: Editor, cwd: string): Promise<readonly string[]> {
    const { modes } = await editor.agent.request('session/new', { cwd, mcpServers: [] });
    return modes?.availableModes.map(({ id }) => id) ?? [];
  }

  const tasksThere = async (): Promise<string> => {
    const there = new StoreUser(store.place, 'there');
    return (await there.ok('list', '--store', store.url)).out;
  };

  it('leads them in that of TEAMS_STORE, and leaves nothing in the project', async () => {
    onTestFinished(endRelays);
    await using editor = await Editor.on(store.place, ...AGENT);
    await lead(editor);
    expect(existsSync(join(store.place.root, '.teams'))).toBe(false);
    expect(await tasksThere()).toMatch(/task-\w+ +succeeded/);
    expect(await editor.leave()).toBe(0);
  });

  it('leads those of a session in the store that its directory names, and others on files', async () => {
    onTestFinished(endRelays);
    const { place } = store;
    const { TEAMS_STORE: _, ...environment } = place.environment;
    const far = join(place.root, 'far');
    const near = join(place.root, 'near');
    for (const folder of [far, near]) mkdirSync(join(folder, '.teams'), { recursive: true });
    writeFileSync(join(far, '.teams', 'config.yaml'), `store: ${store.url}\n`);
    await place.say(['doctor', '--trust', '--yes'], { cwd: far, environment: { TEAMS_STORE: '' } });
    await using editor = await Editor.on({ root: place.root, environment }, ...AGENT);
    // No pipeline runs in a store.
    expect(await modesIn(editor, far)).toEqual(['forge', 'v8', 'relay']);
    expect(await modesIn(editor, near)).toContain('pipeline-impl-only');
    await lead(editor, far);
    await lead(editor, near);
    expect(existsSync(join(far, '.tasks'))).toBe(false);
    expect(existsSync(join(near, '.tasks'))).toBe(true);
    expect((await tasksThere()).match(/task-\w+ +succeeded/g)).toHaveLength(1);
    expect(await editor.leave()).toBe(0);
  });
});
