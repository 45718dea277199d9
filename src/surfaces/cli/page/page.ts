/**
 * A run as one self-contained page: no script, no image, no external address. Its content policy lets a browser load
 * nothing, so that even injected markup could load nothing.
 */
import { reportText, duration, type TeamExport } from '../../../app.ts';
import { Html, markup, NOTHING } from './html.ts';
import { timelineOf } from './timeline-html.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Yields the page in pieces, in order, because the mail of a long run is large. */
export function* exportPage(run: TeamExport): Generator<string> {
  const { team, tasks, members, mail } = run;
  yield markup`<!doctype html><html lang="en"><head><meta charset="utf-8" /><meta http-equiv="Content-Security-Policy" content="${POLICY}" /><meta name="viewport" content="width=device-width, initial-scale=1" /><title>Team ${team}</title><style>${STYLE}</style></head><body>
<header><h1>Team ${team}</h1>${factsOf(run)}<nav>${run.report.failures.length === 0 ? NOTHING : markup`<a href="#failures">Failures</a>`}<a href="#timeline">Timeline</a><a href="#tasks">Tasks</a><a href="#members">Members</a><a href="#mail">Mail</a><a href="#report">Report</a></nav></header>
<main>${failuresOf(run)}<h2 id="timeline">Timeline</h2>${criticalOf(run)}${timelineOf(run)}
<h2 id="tasks">Tasks</h2><table><thead><tr><th>Task</th><th>Status</th><th>Member</th><th>Waited for</th><th class="number">Worked</th><th class="number">Cost</th></tr></thead><tbody>
`.text;
  for (const task of tasks) yield taskRow(task).text;
  yield markup`</tbody></table>
<h2 id="members">Members</h2><table><thead><tr><th>Member</th><th>Role</th><th>Agent</th><th class="number">Tasks</th><th class="number">Worked</th><th class="number">Cost</th><th>Status</th></tr></thead><tbody>
${members.map(memberRow)}</tbody></table>
<h2 id="mail">Mail</h2>${mail.length === 0 ? markup`<p class="faint">No messages.</p>` : NOTHING}<table><tbody>
`.text;
  for (const message of mail) yield mailRow(message).text;
  yield markup`</tbody></table><h2 id="report">Report</h2><pre>${reportText(run.report)}</pre></main></body></html>
`.text;
}

/** What failed comes first, with the end of its output open. */
function failuresOf({ report: { failures } }: TeamExport): Html {
  if (failures.length === 0) return NOTHING;
  return markup`<h2 id="failures">Failures</h2>${failures.map(
    ({ what, member, reason, output, next }) =>
      markup`<details open><summary><b class="failed">${what}</b>${member === null ? '' : `, ${member}`}: ${reason}</summary>${output.length === 0 ? markup`<p class="faint">It printed nothing.</p>` : markup`<pre>${output.join('\n')}</pre>`}<p class="faint">Try it again: ${next}</p></details>`,
  )}`;
}

function factsOf({ report, exportedAt, tasks, timeline, spending }: TeamExport): Html {
  const done = tasks.filter(({ column }) => column === 'completed').length;
  const gates = gatesOf(report.gates);
  return markup`<ul class="facts"><li><b>${report.outcome}</b></li><li>${done} of ${tasks.length} tasks done</li><li>${duration(report.durationMs)}</li>${[gates, costOf(spending)].map((one) => (one === '' ? NOTHING : markup`<li>${one}</li>`))}<li class="faint">began <time>${new Date(timeline.from).toISOString()}</time>, exported <time>${exportedAt}</time></li></ul>`;
}

/** Only those that ran. */
const gatesOf = ({ build, test, lint = 'skipped', crossVerify }: TeamExport['report']['gates']): string =>
  Object.entries({ build, tests: test, lint, verification: crossVerify })
    .flatMap(([gate, result]) => (result === 'skipped' ? [] : [`${gate} ${result}`]))
    .join(', ');

/** A price that is not known is called unknown, never 0. */
const costOf = (spending: TeamExport['spending'] | null): string => {
  if (spending === null || spending.tokens === 0) return '';
  const { tokens, usd, unpriced, unknown } = spending;
  const isUnknown = unpriced.length + unknown.length > 0;
  if (isUnknown && usd === 0) return `${tokens} tokens, cost unknown`;
  return `${tokens} tokens, $${usd.toFixed(2)}${isUnknown ? ' + unknown' : ''}`;
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

/** Dense, and light or dark as the reader's system is. */
const STYLE = new Html(`
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #59636e; --line: #d8dee4; --paper: #fff; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; --work: #0969da; --mute: #8c959f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #9198a1; --line: #30363d; --paper: #0d1117; --good: #3fb950; --bad: #f85149; --warn: #d29922; --work: #58a6ff; --mute: #6e7681; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
a { color: inherit; } nav a { margin-right: 1rem; color: var(--work); }
.faint { color: var(--faint); } .facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0; padding: 0; list-style: none; }
.facts b { font-weight: 600; } table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--faint); } th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } tr:target { outline: 2px solid var(--work); }
.completed { color: var(--good); } .failed, .lost { color: var(--bad); } .in_progress, .running { color: var(--work); } .blocked, .released { color: var(--warn); } .skipped, .cancelled { color: var(--mute); }
pre { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.45 ui-monospace, monospace; } summary { cursor: pointer; }
svg { width: 100%; font: 11px system-ui, sans-serif; fill: var(--ink); } svg rect { fill: currentColor; rx: 2; } svg .critical { font-weight: 700; } svg line.tick { stroke: var(--line); } svg text.tick { fill: var(--faint); } svg line.restart { stroke: var(--bad); stroke-dasharray: 3 3; }
@media print { details > * { display: block; } }
`);
