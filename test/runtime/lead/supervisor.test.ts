/** Which process the lead takes for a member's, and which it signals. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LocalProcess } from '../../../src/runtime/placement/member-process.ts';
import { Supervisor } from '../../../src/runtime/lead/supervisor.ts';
import { identityOf, ownIdentity } from '../../../src/os/process-table.ts';
import { name } from '../../support/team.ts';
import { ToldTeam } from '../../support/told-team.ts';

const ADA = name('ada');

function led() {
  const { store } = new ToldTeam({ ada: 'executor/exec' }).led();
  const supervisor = new Supervisor({ store, onExit: () => undefined });
  onTestFinished(() => supervisor.close());
  const record = (facts: object): void => store.roster.write({ version: 1, name: ADA, phase: 'running', ...facts });
  return { store, supervisor, record, folder: store.pinned.identity };
}

function sleeper(): ChildProcess {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return child;
}

const lifeOf = (pid: number, facts: object = {}): LocalProcess => ({
  where: 'here',
  name: ADA,
  mark: undefined,
  child: undefined,
  identity: { ...ownIdentity(), ...identityOf(pid), ...facts },
  death: undefined,
  isReady: true,
  over: undefined,
});

describe.runIf(process.platform === 'linux')('a lead', () => {
  it('adopts a process that lives and serves its folder, and no other', () => {
    const { supervisor, record, folder } = led();
    const { pid = 0 } = sleeper();
    record({ ...identityOf(pid) });
    expect(supervisor.adopt(ADA)).toBeUndefined();
    record({ ...identityOf(pid), folder: { ...folder, ino: folder.ino + 1 } });
    expect(supervisor.adopt(ADA)).toBeUndefined();
    record({ ...identityOf(pid), folder, startTime: '1' });
    expect(supervisor.adopt(ADA)).toBeUndefined();
    record({ ...identityOf(pid), folder });
    expect(supervisor.adopt(ADA)).toMatchObject({ identity: { pid }, isReady: true });
  });

  it('signals no process that got the pid of a member', async () => {
    const { supervisor } = led();
    const child = sleeper();
    const pid = child.pid ?? 0;
    supervisor.signal(lifeOf(pid, { startTime: '1' }), 'SIGKILL');
    supervisor.signal(lifeOf(pid), 'SIGTERM');
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGTERM');
  });

  it('records the folder of a process before it starts, and takes no record of another process for it', async () => {
    const { store, supervisor, record, folder } = led();
    supervisor.start([ADA]);
    expect(store.roster.read(ADA)).toMatchObject({ phase: 'spawning', folder });
    record({ ...ownIdentity(), folder });
    const life = supervisor.look(ADA);
    expect(life).toMatchObject({ isReady: false });
    if (life) await supervisor.end(life);
  });
});
