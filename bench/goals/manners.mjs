/** Fairness under load: no writer starves at the lock, and a process with a thousand waiting sends stays responsive. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bodyOf } from '../lib/body.mjs';
import { hire, job, together } from '../lib/crew.mjs';
import { sum } from '../lib/figures.mjs';
import { race } from '../lib/race.mjs';

const OURS = 'product/send.mjs';
const WAITING = 1_000;
const RIVALS = 3;

export const rows = ['manners'];

export async function measure(bench) {
  const { size, dir } = bench;
  for (const writers of [8, 32]) {
    const rounds = (
      await race([{ kind: OURS }], { writers, ms: size.fairMs, rounds: Math.min(size.rounds, 3), dir })
    ).get(OURS);
    const shares = rounds.map(({ counts }) => Math.min(...counts) / (sum(counts) / counts.length));
    bench.check(`manners.fairness-${writers}`, { ours: shares, theirs: shares.map(() => 1) });
  }
  await responsiveness(bench);
}

async function responsiveness(bench) {
  const { makeTeamIn } = await import('../product/team.mjs');
  const dir = join(bench.dir, 'responsive');
  mkdirSync(dir);
  makeTeamIn(dir);
  const { loopMs: ms } = bench.size;
  const rivals = Array.from({ length: RIVALS }, (_, n) =>
    job('lib/race.mjs', 'write', { kind: OURS, who: `w${n}`, batch: 1 }),
  );
  const jobs = [job('goals/manners.mjs', 'sendMany', {}), ...rivals];
  const [answer] = await hire(jobs, (hands) => together(hands, { dir, ms }));
  bench.say(
    `${answer.sent} sends, ${WAITING} waiting at any time, ${RIVALS} rivals at the lock: delay p99 ${answer.p99.toFixed(1)} ms, idle ${answer.idle.toFixed(1)} ms`,
  );
  bench.check('manners.loop', { ours: answer.p99 });
}

/** Always a thousand sends under way, as shipped; measures the event loop's delay, compared with a loop without any. */
export async function sendMany() {
  const { READER, senderIn } = await import('../product/team.mjs');
  return async ({ dir, ms }) => {
    const sender = senderIn(dir);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await setTimeout(ms / 4);
    const idle = delay.percentile(99) / 1e6;
    delay.reset();
    const until = performance.now() + ms / 2;
    let sent = 0;
    const one = async () => {
      while (performance.now() < until)
        await sender.send({
          sender: 'many',
          recipient: READER,
          draft: { type: 'message', content: bodyOf('many', (sent += 1)) },
        });
    };
    await Promise.all(Array.from({ length: WAITING }, one));
    return { sent, p99: delay.percentile(99) / 1e6, idle };
  };
}
