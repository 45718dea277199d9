/**
 * A run as one self-contained page: no script, no image, no external address. Its content policy lets a browser load
 * nothing, so that even injected markup could load nothing.
 */
import { reportText, duration, type TeamExport } from '../../../app.ts';
import { markup, NOTHING, type Html } from './html.ts';
import { STYLE } from './style.ts';
import { timelineOf } from './timeline-html.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Yields the page in pieces, in order, because the mail of a long run is large. */
export function* exportPage(run: TeamExport): Generator<string> {
  const { team, tasks, members, mail } = run;
  yield markup`<!doctype html><html lang="en"><head><meta charset="utf-8" /><meta http-equiv="Content-Security-Policy" content="${POLICY}" /><meta name="viewport" content="width=device-width, initial-scale=1" /><title>Team ${team}</title><style>${STYLE}</style></head><body>
<header><h1>Team ${team}</h1>${factsOf(run)}<nav><a href="#timeline">Timeline</a><a href="#tasks">Tasks</a><a href="#members">Members</a><a href="#mail">Mail</a><a href="#report">Report</a></nav></header>
<main><h2 id="timeline">Timeline</h2>${criticalOf(run)}${timelineOf(run)}
<h2 id="tasks">Tasks</h2><table><thead><tr><th>Task</th><th>Status</th><th>Member</th><th>Waited for</th><th>Worked</th><th>Cost</th></tr></thead><tbody>
`.text;
  for (const task of tasks) yield taskRow(task).text;
  yield markup`</tbody></table>
<h2 id="members">Members</h2><table><thead><tr><th>Member</th><th>Role</th><th>Agent</th><th>Tasks</th><th>Worked</th><th>Cost</th><th>Status</th></tr></thead><tbody>
${members.map(memberRow)}</tbody></table>
<h2 id="mail">Mail</h2>${mail.length === 0 ? markup`<p class="faint">No messages.</p>` : NOTHING}<table><tbody>
`.text;
  for (const message of mail) yield mailRow(message).text;
  yield markup`</tbody></table><h2 id="report">Report</h2><pre>${reportText(run.report)}</pre></main></body></html>
`.text;
}

function factsOf({ report, exportedAt, tasks, timeline, spending }: TeamExport): Html {
  const done = tasks.filter(({ column }) => column === 'completed').length;
  const { gates } = report;
  return markup`<ul class="facts"><li><b>${report.status}</b></li><li>${done} of ${tasks.length} tasks done</li><li>${duration(report.durationMs)}</li><li>build ${gates.build}, tests ${gates.test}, verification ${gates.crossVerify}</li><li>${costOf(spending)}</li><li class="faint">began <time>${new Date(timeline.from).toISOString()}</time>, exported <time>${exportedAt}</time></li></ul>`;
}

const costOf = (spending: TeamExport['spending'] | null): string => {
  if (spending === null || spending.tokens === 0) return '';
  const { tokens, usd, unpriced } = spending;
  return `${tokens} tokens, $${usd.toFixed(2)}${unpriced.length > 0 ? ' plus models without a known price' : ''}`;
};

function criticalOf({ timeline: { critical } }: TeamExport): Html {
  if (critical.tasks.length === 0) return NOTHING;
  const path = critical.tasks.map((id) => `#${id}`).join(' > ');
  return markup`<p class="faint">The critical path, ${duration(critical.ms)} of work: ${path}</p>`;
}

type Task = TeamExport['tasks'][number];

function taskRow({ id, subject, column, member, waitsFor, workedMs, spending, ...more }: Task): Html {
  const { description, reason, result } = more;
  return markup`<tr id="task-${id}"><td>#${id} ${subject}${folded('description', description)}${folded('result', result ?? '')}</td><td class="${column}">${column.replace('_', ' ')}${reason === undefined ? '' : `: ${reason}`}</td><td>${member ?? ''}</td><td>${waitsFor.map((one) => markup`<a href="#task-${one}">#${one}</a> `)}</td><td class="number">${workedMs === 0 ? '' : duration(workedMs)}</td><td class="number">${costOf(spending)}</td></tr>
`;
}

const folded = (what: string, text: string): Html =>
  text.trim() === '' ? NOTHING : markup`<details><summary class="faint">${what}</summary><pre>${text}</pre></details>`;

type Member = TeamExport['members'][number];

const memberRow = ({ name, role, agent, tasks, durationMs, status, spending }: Member): Html =>
  markup`<tr><td>${name}</td><td>${role}</td><td>${agent}</td><td class="number">${tasks}</td><td class="number">${duration(durationMs)}</td><td class="number">${costOf(spending)}</td><td class="${status}">${status}</td></tr>
`;

type Mail = TeamExport['mail'][number];

/** Longer messages are folded. */
const OPEN_CHARACTERS = 400;

const mailRow = ({ at, from, to, kind, text, isWaiting }: Mail): Html =>
  markup`<tr><td class="faint"><time>${at}</time></td><td>${from}&nbsp;&rarr;&nbsp;${to}${isWaiting ? markup` <span class="blocked">unread</span>` : NOTHING}</td><td class="faint">${kind}</td><td>${text.length > OPEN_CHARACTERS ? folded(`${text.slice(0, 120)}…`, text) : markup`<pre>${text}</pre>`}</td></tr>
`;
