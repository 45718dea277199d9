/**
 * An event as a sentence without its subject, which a view prints before it: `began #3 Write tests`,
 * `its process ended: exit 0`. The names of events are in the files and with `--json`.
 */
import type { Fact } from '../../model/team/shown-event.ts';
import { successLine } from '../../model/text/telling-line.ts';
import { decisionText } from '../decision.ts';

interface Told {
  /** `#3 Write tests`, or `#3`; empty without a task. */
  readonly task: string;
  readonly text: string;
}

type Sentence = (told: Told) => string;

/** `its verb #3 Write tests: why` */
const doing =
  (verb: string): Sentence =>
  ({ task, text }) =>
    [verb, task].filter(Boolean).join(' ') + (text === '' ? '' : `: ${text}`);

/** Views that say how to answer add the id of the request. */
const withoutId = (text: string): string => text.replace(/^[0-9A-HJKMNP-TV-Z]{26}: /, '');

const SENTENCES: ReadonlyMap<string, Sentence> = new Map<string, Sentence>([
  ['log.opened', doing('opened the log')],
  ['team.opened', doing('opened the team')],
  ['team.created', doing('made the team')],
  ['team.closing', doing('closes the team')],
  ['team.closed', doing('closed the team')],
  ['team.paused', doing('paused the team')],
  ['team.unpaused', doing('ended the pause of the team')],
  ['team.cancelled', doing('cancelled the run')],
  ['lead.took', doing('leads the team')],
  ['common.shared', doing('put what landed into the store')],
  ['member.joined', ({ text }) => `joined${text === '' ? '' : ` ${text}`}`],
  ['member.started', doing('started')],
  ['member.left', doing('left the team')],
  ['member.stopped', doing('stopped')],
  ['member.changed', doing('starts anew')],
  ['plan.changed', doing('changed the plan')],
  ['member.exited', doing('its process ended')],
  ['member.lost', doing('its process ended while nobody led the team')],
  ['task.created', ({ task, text }) => `added ${[task, text].filter(Boolean).join(' ')}`],
  ['task.assigned', ({ task, text }) => `gave ${task} ${text}`.trim()],
  ['task.claimed', doing('began')],
  ['task.released', doing('gave back')],
  // In event logs of earlier versions.
  ['task.given_back', doing('gave back')],
  ['task.completed', doing('completed')],
  ['task.submitted', doing('submitted')],
  ['task.landed', doing('landed')],
  ['task.bounced', doing('sent back')],
  ['task.failed', doing('failed at')],
  ['task.skipped', doing('skipped')],
  ['task.cancelled', doing('cancelled')],
  ['task.retried', doing('tries again')],
  ['task.blocked', doing('added a blocker to')],
  ['task.unblocked', doing('removed a blocker from')],
  ['task.untrusted', ({ text }) => `may not begin it: ${text}`],
  ['task.updated', doing('changed')],
  ['task.changed', doing('changed with its plan')],
  ['request.made', ({ task, text }) => `asks${task === '' ? '' : ` about ${task}`}: ${withoutId(text)}`],
  ['request.answered', ({ text }) => `answered: ${withoutId(text)}`],
  ['request.refused', doing('answered in vain')],
  ['agent.failed', doing('its agent failed at')],
  ['agent.fell_back', doing('changed its agent')],
  ['agent.no_fallback', doing('found no other agent')],
  ['agent.delayed', doing('waits for its vendor')],
  ['budget.reached', doing('reached its budget')],
  ['budget.settled', doing('was settled as reserved')],
  ['budget.low', ({ text }) => `the budget is nearly used up: ${text}`],
  ['agent.session_began', doing('began a session with its agent')],
  ['agent.spent', doing('used')],
  ['agent.acted', doing('its agent called a tool')],
  ['agent.denied', doing('was refused a tool call')],
  ['agent.planned', doing('its agent plans')],
  ['agent.noted', doing('its agent noted')],
  ['agent.printed', ({ text }) => `printed: ${text}`],
  ['agent.said', ({ text }) => `said: ${text}`],
  ['agent.last_lines', doing('printed last')],
  // Its text begins with the recipient: `to ada: …`.
  ['message.sent', ({ task, text }) => (/^to \S+: /.test(text) ? `wrote ${text}` : doing('wrote')({ task, text }))],
  ['message.received', ({ text }) => `its mail was read by the lead: ${text}`],
  ['message.failed', doing('could not send mail')],
  ['message.denied', doing('was not allowed to send mail')],
  ['message.refused', doing('its mail was refused')],
  ['mail.set_aside', doing('set mail aside that it could not read')],
  ['gate.ended', doing('ran a gate')],
  ['tree.not_lent', ({ text }) => `its tree does not borrow all: ${text}`],
  ['tree.output_kept', doing('kept the artifact of')],
  ['tree.output_left', doing('lost the artifact of')],
  ['tree.teardown_failed', ({ text }) => `could not take a tree down: ${text}`],
  ['hook.failed', doing('its hook failed')],
  ['hook.refused', doing('its hook refused')],
  ['baseline.slow', ({ text }) => text],
  // The name of the reference is in the files: a person needs the two verbs.
  ['baseline.saved', () => 'the files are kept as they are now, for `teams diff` and `teams undo`'],
  ['member.placed', ({ text }) => `goes to the host ${text}`],
  ['host.declined', ({ text }) => text],
  ['sandbox.held', () => 'is isolated'],
  // Its text is a sentence of the report, with the member's name.
  [
    'sandbox.missing',
    ({ text }) =>
      text.replace(/^\S+: (?:its program )?(?=\S.* is not enforced|is not isolated)/, '').replace(/\.$/, ''),
  ],
  ['sandbox.not_enforced', ({ text }) => text],
  ['phase.ended', doing('ended a phase')],
  ['role.reported', doing('reported')],
  ['role.resumed', doing('went on')],
  ['fast_advance.decided', doing('decided what follows')],
  ['checkpoint.reached', doing('reached a checkpoint')],
  ['fix.exhausted', doing('used all rounds of fixes for')],
  ['discussion.held', doing('discussed')],
  ['bus.logged', ({ text }) => `logged ${text}`],
  ['wisdom.added', doing('added to the wisdom')],
  ['boundary.refused', doing('was not allowed to write')],
  ['run.undone', doing('took the changes of the run back')],
  ['run.redone', doing('brought the changes of the run back')],
  ['board.noise_found', doing('found in the log of the board what no member wrote')],
  ['disk.failed', doing('waits for the disk')],
  ['landing.failed', doing('git failed at what landed')],
  ['landing.gated', doing('ran the gates on what may land')],
  ['landing.held', ({ text }) => text],
  ['landing.recovered', ({ text }) => text],
  ['lead.lost_time', ({ text }) => text],
  ['lead.overtaken', doing('was too late for a change of the board')],
  ['lead.troubled', doing('failed at a step, and goes on')],
  ['lock.broken', doing('took away a lock that a dead process held')],
  ['member.refused', ({ text }) => `was refused: ${text}`],
  ['plan.answer_ignored', doing('was given an answer that does not count')],
  ['reaper.lost', doing('lost the process that ends what members leave behind')],
  ['request.withdrawn', doing('withdrew a question')],
  ['role.refused', ({ text }) => `works without the words of its role: ${text}`],
  ['run.stopped', doing('ends the run at a limit')],
  ['run.unobserved', ({ text }) => text],
  ['shutdown.refused', doing('cannot close the team')],
  ['spawn.rolled_back', doing('was not started, so that no member was')],
  ['start.failed', doing('did not keep the files for `teams diff` and `teams undo`')],
  ['state.set_aside', doing('put a damaged state of the run aside')],
  ['store.away', doing('waits for the store')],
  ['team.copied', doing('found that the team is a copy')],
  ['team.deleted', doing('deleted the team')],
  ['team.described', doing('described the team')],
  ['team.place_lost', doing('lost the working directory')],
  ['team.trusted', doing('trusted the team')],
  ['teammate.error', doing('failed at a step, and goes on')],
  ['tree.kept', doing('kept what lay in its tree')],
  ['tree.set_aside', doing('put aside what git cannot keep of its tree')],
  ['view.edit_kept', ({ task, text }) => `kept an edit of the view of ${task}, which changes nothing: ${text}`],
  ['view.failed', doing('did not write the views of tasks')],
  ['view.left', ({ text }) => text],
  ['watch.lost', doing('is not told of changes of a folder, and looks by itself')],
]);

/** One sentence without a full stop. An event of a later version is told by its name. */
export function eventSentence(event: Fact): string {
  if (event.type === 'lead.decided') return `the lead ${decisionText(event)}`;
  const task = 'task' in event ? event.task : undefined;
  const text = isOfCommand(event) ? (successLine(event.text ?? '') ?? '') : (event.text ?? '');
  const id = typeof task === 'object' ? task.id : task;
  const subject = typeof task === 'object' && task.subject !== text ? ` ${task.subject}` : '';
  const told = { task: id === undefined ? '' : `#${id}${subject}`, text };
  const type = event.type.replace(/^other\./, '');
  return (SENTENCES.get(type) ?? doing(type))(told);
}

/** Whether a command did the task: its result is all that it printed, and one line of it is told. */
const isOfCommand = ({ type, ...event }: Fact): boolean =>
  type === 'task.completed' &&
  'task' in event &&
  typeof event.task === 'object' &&
  event.task.status === 'completed' &&
  event.task.result.exitCode !== undefined;
