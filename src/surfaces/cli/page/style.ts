/** The style of an exported page: dense, and light or dark as the reader's system is. */
import { Html } from './html.ts';

export const STYLE = new Html(`
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #59636e; --line: #d8dee4; --paper: #fff; --good: #1a7f37; --bad: #cf222e; --warn: #9a6700; --work: #0969da; --mute: #8c959f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --faint: #9198a1; --line: #30363d; --paper: #0d1117; --good: #3fb950; --bad: #f85149; --warn: #d29922; --work: #58a6ff; --mute: #6e7681; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
a { color: inherit; } nav a { margin-right: 1rem; color: var(--work); }
.faint { color: var(--faint); } .facts { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0; padding: 0; list-style: none; }
.facts b { font-weight: 600; } table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--faint); } td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; } tr:target { outline: 2px solid var(--work); }
.completed { color: var(--good); } .failed, .lost { color: var(--bad); } .in_progress, .running { color: var(--work); } .blocked, .released { color: var(--warn); } .skipped, .cancelled { color: var(--mute); }
pre { margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.45 ui-monospace, monospace; } summary { cursor: pointer; }
svg { width: 100%; font: 11px system-ui, sans-serif; fill: var(--ink); } svg rect { fill: currentColor; rx: 2; } svg .critical { font-weight: 700; } svg line.tick { stroke: var(--line); } svg text.tick { fill: var(--faint); } svg line.restart { stroke: var(--bad); stroke-dasharray: 3 3; }
@media print { details > * { display: block; } }
`);
