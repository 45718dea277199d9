/**
 * The sources of the golden logs. The frozen logs are the reference: a scenario is used only to make a log that does
 * not exist yet.
 */
import fc from 'fast-check';
import { advance } from '../../../../src/model/board/advance.ts';
import { emptyBoard } from '../../../../src/model/board/board.ts';
import type { BoardEvent, Change } from '../../../../src/model/board/event.ts';
import { LEAD, parseName } from '../../../../src/model/text/names.ts';
import { eventOf, OPENING, steps } from '../../play.ts';
import {
  ada,
  bob,
  byLead,
  byMember,
  byPerson,
  completed,
  cy,
  life,
  newTask,
  openWorld,
  submitted,
  ulid,
  type World,
} from '../../world.ts';

/** A record as the store writes it: the envelope first. */
export const lineOf = ({ id, v, at, author, ...body }: BoardEvent): string =>
  JSON.stringify({ id, v, at, author, ...body });
const linesOf = (world: World): string[] => world.events.map(lineOf);

function lifecycle(): string[] {
  const world = openWorld();
  const first = world.add({
    key: 'first',
    subject: 'Läs koden · 読む 🙂',
    metadata: { type: 'explore', deep: { a: [1, null, true] } },
  });
  const second = world.add({
    owner: bob,
    blockedBy: [first],
    retries: 1,
    work: { run: ['npm', 'test'], verify: ['true'] },
  });
  const third = world.add({ blockedBy: [second], role: parseName('role', 'reviewer') });
  world.claim(first, ada);
  world.claim(second, bob);
  world.complete(first, ada);
  world.claim(second, bob);
  world.fail(second, bob);
  world.claim(second, bob);
  world.say(byMember(ada), completed(second, 2));
  world.fail(second, bob);
  world.say(byLead(), { type: 'task.retried', task: second });
  world.say(byLead(), { type: 'task.assigned', task: second, owner: ada });
  world.claim(second, ada);
  world.say(byMember(ada, 2), { type: 'member.started', name: ada, inc: life(ada, 2), after: life(ada) });
  world.say(byMember(ada, 1), completed(second, 3));
  world.say(byLead(), { type: 'task.unblocked', task: third, blocker: second });
  world.claim(third, cy);
  world.complete(third, cy);
  world.say(byPerson(LEAD), { type: 'task.claimed', task: second, member: LEAD });
  world.say(byLead(), { type: 'team.closing' });
  world.say(byLead(), { type: 'team.closed' });
  world.say(byLead(2), { type: 'lead.took', epoch: 2 });
  return linesOf(world);
}

function pipeline(): string[] {
  const world = openWorld('prefix', { ada: ['DEV'], bob: ['DEV-FE', 'QA-FE'], cy: ['QUALITY', 'REVIEW'] });
  const plan = world.add({ subject: 'DEV-001 Plan' });
  const page = world.add({ subject: 'DEV-FE-001 Page', blockedBy: [plan] });
  world.add({ subject: 'QUALITY-001-R1 Again', blockedBy: [page] });
  for (const member of [bob, cy, ada]) world.claim(plan, member);
  world.complete(plan, ada);
  for (const member of [ada, bob]) world.claim(page, member);
  world.say(byMember(ada), { type: 'task.created', task: '4', fields: newTask({ subject: 'QA-FE-001 x' }) });
  world.say(byMember(bob), { type: 'task.created', task: '4', fields: newTask({ subject: 'QA-FE-001 x' }) });
  world.say(byLead(), { type: 'task.created', task: '5', fields: newTask({ subject: 'REVIEW-001 x', owner: ada }) });
  return linesOf(world);
}

function elections(): string[] {
  const world = openWorld();
  world.add();
  world.say({ lead: ulid(77), epoch: 2 }, { type: 'lead.took', epoch: 2 });
  world.say(byLead(2), { type: 'lead.took', epoch: 2 });
  world.say(byLead(2), { type: 'task.cancelled', task: '1', why: 'not mine to say' });
  world.say(byLead(1), { type: 'task.cancelled', task: '1', why: 'too late' });
  world.say(byPerson(LEAD, 1), { type: 'task.cancelled', task: '1', why: 'read too early' });
  world.say(byPerson(LEAD, 2), { type: 'team.closing' });
  world.say(byLead(3), { type: 'lead.took', epoch: 3 });
  world.claim('1', ada);
  world.say(byLead(3), { type: 'member.left', name: ada, why: 'gone' });
  world.say(byLead(3), { type: 'member.joined', name: ada, role: parseName('role', 'executor'), prefixes: [] });
  world.claim('1', ada);
  return linesOf(world);
}

function poison(): string[] {
  const world = openWorld();
  for (const blockedBy of [[], ['1'], ['2'], ['1']]) world.add({ blockedBy });
  for (const epoch of [1, 2, 3]) {
    world.claim('1', ada);
    world.say(byLead(), { type: 'task.released', task: '1', epoch, reason: 'lost', why: 'SIGKILL' });
  }
  world.say(byLead(), { type: 'task.skipped', task: '1', cascade: true, why: 'poison' });
  return linesOf(world);
}

function batches(): string[] {
  const world = openWorld();
  const fields = newTask({ subject: 's', key: 'a' });
  const created = { type: 'task.created', task: '1', fields } as const;
  world.say(byLead(), { type: 'batch', changes: [created, { ...created, task: '2' }] });
  world.say(byLead(), {
    type: 'batch',
    changes: [created, { ...created, task: '2', fields: { ...fields, key: 'b', blockedBy: ['1'] } }],
  });
  world.say(byLead(), {
    type: 'batch',
    changes: [
      { type: 'task.unblocked', task: '2', blocker: '1' },
      { type: 'task.blocked', task: '1', by: '2' },
      { type: 'task.blocked', task: '2', by: '1' },
    ],
  });
  world.say(byLead(), {
    type: 'batch',
    changes: [
      { type: 'task.unblocked', task: '2', blocker: '1' },
      { type: 'task.blocked', task: '1', by: '2' },
    ],
  });
  return linesOf(world);
}

/** Questions and plans: asked, answered once, and ended by the end of their task or the departure of their asker. */
function requests(): string[] {
  const world = openWorld();
  for (let n = 0; n < 3; n += 1) world.add({ retries: 1 });
  const ask = (id: number, about: string | undefined, kind: 'question' | 'plan' = 'question', member = ada) =>
    world.say(byMember(member), {
      type: 'request.made',
      request: ulid(800 + id),
      kind,
      text: `Q${id}`,
      about,
    });
  const answer = (id: number, approve = false) =>
    world.say(byLead(), { type: 'request.answered', request: ulid(800 + id), approve, text: `A${id}` });
  ask(1, '1');
  world.claim('1');
  ask(1, '1');
  ask(2, '1', 'plan');
  ask(3, undefined);
  world.claim('2', bob);
  ask(4, '2', 'question', bob);
  world.say(byLead(), { type: 'task.released', task: '1', epoch: 1, reason: 'lost', why: 'SIGKILL' });
  world.claim('1', cy);
  answer(1);
  answer(1);
  answer(2, true);
  answer(9);
  world.claim('1', cy);
  world.complete('2', bob);
  answer(4);
  world.say(byMember(ada), { type: 'member.left', name: ada, why: '' });
  answer(3);
  return linesOf(world);
}

/** Lines that are not records, and duplicate records, among good ones. */
function noise(): string[] {
  const world = openWorld();
  world.add();
  world.claim('1');
  world.complete('1');
  const good = linesOf(world);
  const bad = [
    '',
    'x',
    '{}',
    '[1]',
    'null',
    '{"id":',
    '\u0000\u0000',
    '{"id":"1","v":1,"type":"task.claimed"}',
    '"\u2028"',
  ];
  const near = good.map((line) => line.replace('"v":1', '"v":0')).concat(good.map((line) => line.slice(0, -3)));
  return [
    ...bad,
    ...good.flatMap((line, at) => [line, bad[at % bad.length] ?? '', near[at] ?? '', line]),
    ...near,
    ...good,
  ];
}

function random(seed: number): string[] {
  const board = emptyBoard();
  const lines = OPENING.map((event) => (advance(board, event), lineOf(event)));
  for (const step of fc.sample(fc.array(steps(40), { minLength: 10, maxLength: 10 }), { numRuns: 1, seed }).flat(2)) {
    const event = eventOf(board, step, lines.length);
    advance(board, event);
    lines.push(lineOf(event));
  }
  return lines;
}

/** Only in logs of version 2. */
function changedPlan(): string[] {
  const world = openWorld();
  const [first, second, third] = [world.add({ key: 'a' }), world.add({ key: 'b', blockedBy: ['1'] }), world.add()];
  const fields = newTask({ subject: 'Changed', work: { run: 'true' }, metadata: { tier: 'opus' } });
  const changed = (task: string, more: Partial<typeof fields> = {}) =>
    ({ type: 'task.changed', task, fields: { ...fields, ...more } }) as const;
  world.say(byMember(ada), changed(first));
  world.say(byLead(), changed(first, { key: 'b' }));
  world.say(byLead(), changed(first, { key: 'a', owner: bob }));
  world.say(byLead(), changed(first, { blockedBy: [second] }));
  world.say(byLead(), changed(third, { blockedBy: ['9'] }));
  world.claim(first, bob);
  world.say(byLead(), changed(first));
  world.say(byLead(), { type: 'task.cancelled', task: second, why: 'no more', waived: true });
  world.add({ key: 'b' });
  world.claim(third, ada);
  world.fail(third);
  world.say(byLead(), { type: 'task.retried', task: third });
  world.say(byLead(), { type: 'task.cancelled', task: third, why: 'no more', waived: true });
  return linesOf(world);
}

/** Only in logs of version 2. */
function landing(): string[] {
  const world = openWorld();
  const first = world.add({ work: { files: ['a'] } });
  const second = world.add({ blockedBy: [first] });
  const bounced = (epoch: number): Extract<Change, { type: 'task.bounced' }> => ({
    type: 'task.bounced',
    task: first,
    epoch,
    cause: 'conflict',
    why: 'it conflicts',
    files: ['a'],
  });
  const landed = (task: string, epoch: number) =>
    ({ type: 'task.landed', task, epoch, commit: 'c'.repeat(40) }) as const;
  world.say(byMember(ada), submitted(first, 1));
  for (const epoch of [1, 2]) {
    world.claim(first, ada);
    world.say(byMember(ada), submitted(first, epoch));
    world.say(byMember(ada), landed(first, epoch));
    if (epoch === 1) world.say(byLead(), bounced(epoch));
  }
  world.claim(second, bob);
  world.say(byLead(), landed(first, 1));
  world.say(byLead(), landed(first, 2));
  world.claim(second, bob);
  world.say(byMember(bob), submitted(second, 1));
  world.say(byLead(), { type: 'task.skipped', task: second, cascade: false, why: 'not wanted' });
  const third = world.add();
  for (const epoch of [1, 2, 3, 4]) {
    world.claim(third, cy);
    world.say(byMember(cy), submitted(third, epoch));
    world.say(byLead(), { ...bounced(epoch), task: third });
  }
  world.say(byLead(), { type: 'task.retried', task: third });
  return linesOf(world);
}

/** Only in logs of version 2: a person looks at changes before they land. */
function review(): string[] {
  const world = openWorld();
  const [first, second, third] = [world.add(), world.add(), world.add()];
  const asked = (at: number, about: string) =>
    ({ type: 'request.made', request: ulid(at), kind: 'review', about, text: '1 file: a' }) as const;
  const answered = (at: number, approve: boolean) =>
    ({ type: 'request.answered', request: ulid(at), approve, text: approve ? '' : 'shorter' }) as const;
  world.say(byMember(ada), asked(1, first));
  for (const epoch of [1, 2]) {
    world.claim(first, ada);
    world.say(byMember(ada), { type: 'batch', changes: [submitted(first, epoch), asked(epoch + 1, first)] });
    world.say(byMember(ada), answered(epoch + 1, true));
    world.say(byLead(), answered(epoch + 1, epoch === 2));
    if (epoch === 1)
      world.say(byLead(), { type: 'task.bounced', task: first, epoch, cause: 'review', why: 'shorter', files: [] });
  }
  world.say(byLead(), { type: 'task.landed', task: first, epoch: 2, commit: 'c'.repeat(40) });
  world.claim(second, bob);
  world.say(byMember(bob), { type: 'batch', changes: [submitted(second, 1), asked(4, second)] });
  world.say(byLead(), { type: 'task.skipped', task: second, cascade: false, why: 'not wanted' });
  world.claim(third, cy);
  world.say(byMember(cy), { type: 'batch', changes: [submitted(third, 1), asked(5, third)] });
  world.say(byMember(cy), { type: 'member.left', name: cy, why: 'done' });
  return linesOf(world);
}

export const SCENARIOS: Record<string, () => string[]> = {
  lifecycle,
  pipeline,
  elections,
  poison,
  batches,
  requests,
  landing,
  review,
  changedPlan,
  noise,
  ...Object.fromEntries([1, 2, 3, 4].map((seed) => [`random-${seed}`, () => random(seed)])),
};
