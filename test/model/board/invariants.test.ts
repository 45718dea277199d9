import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advance } from '../../../src/model/board/advance.ts';
import { count, emptyBoard, isDone, isReady, waitsFor, type Board } from '../../../src/model/board/board.ts';
import { pendingTasks } from '../../../src/model/board/listed-tasks.ts';
import { parseBoardLine } from '../../../src/model/board/board-line.ts';
import { type BoardEvent, type Change } from '../../../src/model/board/event.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { isFinal, isInternal, isResolved, POISON_AFTER, type Task } from '../../../src/model/board/task.ts';
import { eventOf, OPENING, steps, type Step } from '../play.ts';
import { canonical, hash, indicesOf, keptIndices } from '../world.ts';

/** Applies steps to a board. `look` sees every event, with the tasks as they were before it. */
function play(
  script: readonly Step[],
  look: (board: Board, event: BoardEvent, before: Map<string, Task>) => void = () => undefined,
) {
  const board = emptyBoard();
  const log: BoardEvent[] = [];
  const say = (event: BoardEvent) => {
    const before = new Map(board.tasks);
    const was = canonical(board);
    log.push(event);
    if (!advance(board, event).ok) expect(canonical(board), 'a refused event changed the board').toBe(was);
    look(board, event, before);
  };
  OPENING.forEach(say);
  script.forEach((step, at) => say(eventOf(board, step, at + 1)));
  return { board, log };
}

const each = (script: readonly Step[], look: Parameters<typeof play>[1]) => void play(script, look);
const changesOf = (event: BoardEvent): readonly Change[] => (event.type === 'batch' ? event.changes : [event]);
const said = (event: BoardEvent, type: Change['type'], task: string) =>
  changesOf(event).some((change) => change.type === type && 'task' in change && change.task === task);

describe('whatever is appended, in whatever order', () => {
  it('T1, T8: one claimant a task, one task a claimant, and each claimant is a running member', () => {
    fc.assert(
      fc.property(steps(120), (script) => {
        each(script, (board) => {
          const claims = [...board.tasks.values()].flatMap((task) =>
            task.status === 'in_progress' ? [task.claim] : [],
          );
          expect(new Set(claims.map(({ member }) => member)).size).toBe(claims.length);
          for (const { member, incarnation } of claims.filter((claim) => claim.member !== LEAD)) {
            expect(board.members.get(member)?.state).toBe('joined');
            if (incarnation !== 'person') expect(incarnation).toBe(board.members.get(member)?.incarnation);
          }
          for (const { incarnation } of claims.filter((claim) => claim.member === LEAD))
            expect(['person', board.lead.incarnation]).toContain(incarnation);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('T2, T3: no task is lost, and a final one stays final, except for retry and skip of a failed one', () => {
    fc.assert(
      fc.property(steps(120), (script) => {
        each(script, (board, event, before) => {
          for (const [id, task] of before) {
            const now = board.tasks.get(id);
            if (!isFinal(task) || now === task) expect(now).toBeDefined();
            else {
              expect(task.status).toBe('failed');
              expect(
                said(event, 'task.retried', id) || changesOf(event).some(({ type }) => type === 'task.skipped'),
              ).toBe(true);
            }
          }
        });
      }),
      { numRuns: 60 },
    );
  });

  it('T4, T5, T7: a started task has no open blocker, no task waits for itself, attempts are bounded', () => {
    fc.assert(
      fc.property(steps(120), (script) => {
        const { board } = play(script);
        for (const task of board.tasks.values()) {
          const blockers = task.blockedBy.flatMap((id) => board.tasks.get(id) ?? []);
          expect(blockers).toHaveLength(task.blockedBy.length);
          if (task.status === 'in_progress' || task.status === 'completed')
            expect(blockers.every(isResolved)).toBe(true);
          expect(waitsFor(board, task.id, task.id)).toBe(false);
          expect(task.attempts).toBeLessThanOrEqual(task.retries + 1);
          expect(task.lost).toBeLessThanOrEqual(POISON_AFTER);
          if (task.lost === POISON_AFTER) expect(['failed', 'skipped']).toContain(task.status);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('T6: a task ends only by its current epoch, and epochs grow', () => {
    fc.assert(
      fc.property(steps(120), (script) => {
        each(script, (board, event, before) => {
          for (const [id, task] of board.tasks) {
            const was = before.get(id);
            expect(task.claims).toBeGreaterThanOrEqual(was?.claims ?? 0);
            if (task.status === 'in_progress') expect(task.claim.epoch).toBe(task.claims);
            if (task.status === 'completed' && was !== task) expect(task.by.epoch).toBe(task.claims);
            if (event.type === 'task.completed' && was !== task && event.task === id)
              expect(event.epoch).toBe(was?.claims);
          }
        });
      }),
      { numRuns: 60 },
    );
  });

  it('the indices equal indices that are computed anew', () => {
    fc.assert(
      fc.property(steps(120), (script) => {
        each(script, (board) => {
          const tasks = [...board.tasks.values()];
          expect(keptIndices(board)).toEqual(indicesOf(tasks));
          const shown = tasks.filter((task) => !isInternal(task));
          const blocked = shown.filter((task) => task.status === 'pending' && !isReady(board, task));
          expect(count(board)).toEqual({ ...board.tally, blocked: blocked.length });
          expect(isDone(board)).toBe(shown.length > 0 && shown.every(isFinal));
          const pending = tasks.filter(({ status }) => status === 'pending').map(({ id }) => id);
          expect([...pendingTasks(board)].map(({ id }) => id)).toEqual(pending);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('the open requests are known, and none is open for a final task or for a member that has left', () => {
    fc.assert(
      fc.property(steps(120), (script) => {
        each(script, ({ requests, open, tasks, members }) => {
          const waiting = [...requests.values()].filter(({ state }) => state === 'open');
          expect([...open.values()]).toEqual(waiting);
          for (const { from, task, kind, epoch } of open.values()) {
            expect(members.get(from)?.state).toBe('joined');
            const about = tasks.get(task ?? '');
            if (about) expect(isFinal(about)).toBe(false);
            if (kind === 'plan') expect(about?.status === 'in_progress' && about.claim.epoch).toBe(epoch);
            const worker = about?.status === 'in_progress' ? about.claim.member : from;
            if (kind === 'question') expect(worker).toBe(from);
          }
        });
      }),
      { numRuns: 60 },
    );
  });

  it('T9: every prefix of a log gives the same board, folded whole or in pieces, from values or from bytes', () => {
    fc.assert(
      fc.property(steps(60), fc.array(fc.nat({ max: 9 }), { minLength: 1 }), (script, sizes) => {
        const { log } = play(script);
        const pieces = emptyBoard();
        const hashes: string[] = [];
        for (let at = 0, turn = 0; at < log.length; turn += 1) {
          const piece = log.slice(at, at + 1 + (sizes[turn % sizes.length] ?? 0));
          at += piece.length;
          for (const event of piece) advance(pieces, event);
          // A reader may fold the same records again after a crash.
          for (const event of piece) advance(pieces, event);
          hashes[at] = hash(pieces);
        }
        const whole = emptyBoard();
        log.forEach((event, at) => {
          const line = parseBoardLine(JSON.stringify(event));
          if (line.kind !== 'event') throw new Error(`not read back: ${JSON.stringify(line)}`);
          advance(whole, line.event);
          const other = hashes[at + 1];
          if (other !== undefined) expect(hash(whole)).toBe(other);
        });
        expect(hash(whole)).toBe(hash(pieces));
      }),
      { numRuns: 60 },
    );
  });

  it('the random play covers most kinds of events, each both accepted and refused', () => {
    const heard = new Set<string>();
    for (const script of fc.sample(steps(200), { numRuns: 60, seed: 7 })) {
      const board = emptyBoard();
      for (const event of OPENING) advance(board, event);
      script.forEach((step, at) => {
        const event = eventOf(board, step, at + 1);
        heard.add(`${event.type} ${advance(board, event).ok}`);
      });
    }
    const kinds = [
      'claimed',
      'completed',
      'failed',
      'released',
      'assigned',
      'retried',
      'skipped',
      'cancelled',
      'blocked',
      'unblocked',
    ];
    for (const kind of [...kinds, 'updated', 'created']
      .map((verb) => `task.${verb}`)
      .concat('batch', 'member.started', 'member.left', 'request.made', 'request.answered'))
      for (const ok of [true, false]) expect(heard, `${kind} ${ok}`).toContain(`${kind} ${ok}`);
  });
});

describe('the fold stays cheap', () => {
  it('a walk over pending tasks visits no other task, wherever they lie', () => {
    const { board } = play([]);
    let number = 1;
    const lead = { lead: board.lead.incarnation ?? '', epoch: 1 };
    const say = (change: Change) => advance(board, { ...change, id: `${number++}`, v: 1, at: '', author: lead });
    const make = (id: number): Change => ({
      type: 'task.created',
      task: `${id}`,
      fields: {
        subject: 's',
        description: '',
        blockedBy: [],
        work: { verify: [], env: {}, files: [] },
        retries: 0,
        required: true,
        metadata: {},
      },
    });
    for (let id = 1; id <= 300; id += 1) say(make(id));
    for (let id = 300; id >= 2; id -= 1) say({ type: 'task.cancelled', task: `${id}`, why: '' });
    say({ type: 'task.cancelled', task: '1', why: '' });
    expect([...pendingTasks(board)]).toEqual([]);
    for (let id = 301; id <= 306; id += 1) {
      say(make(id));
      expect([...pendingTasks(board)].map((task) => task.id)).toEqual([`${id}`]);
      say({ type: 'task.cancelled', task: `${id}`, why: '' });
    }
    const get = board.tasks.get.bind(board.tasks);
    let visited = 0;
    board.tasks.get = (id) => {
      visited += 1;
      return get(id);
    };
    say({ type: 'task.retried', task: '1' });
    say(make(307));
    visited = 0;
    expect([...pendingTasks(board)].map((task) => task.id)).toEqual(['307']);
    expect(visited).toBe(1);
  });
});
