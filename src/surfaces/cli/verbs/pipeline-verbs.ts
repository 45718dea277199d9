/** The verb that runs a pipeline of roles. */
import type { Verb } from '../verb.ts';

export const pipelines: readonly Verb[] = [
  {
    name: 'pipeline',
    summary: 'run a pipeline: roles that pass work to each other, from a requirement to a report',
    words: '[name] [requirement...]',
    options: [
      { flags: '--list', what: 'list the available pipelines' },
      { flags: '--graph', what: 'show the tasks of the pipeline and start nothing' },
      {
        flags: '--eject',
        what: 'copy the pipeline and its roles to a directory where you can edit them: [name] [directory]',
      },
      {
        flags: '--agent <agent>',
        what: 'the agent of every role: a kind, a configured name, auto, exec:COMMAND or JSON',
      },
      { flags: '--timeout <duration>', what: 'stop after this time with exit 124' },
      {
        flags: '--max-cost <dollars>',
        what: 'the most US dollars that the team may spend; nothing begins that could cost more',
      },
      { flags: '--max-tokens <number>', what: 'the most tokens that the team may use' },
      { flags: '--budget <limit>', what: 'a limit such as turns=40, member.ada.cost=2 or task.3.time=10m', many: true },
      { flags: '--detach', what: 'run the lead in the background; its log is logs/lead.log' },
    ],
    examples: [
      { line: 'teams pipeline --list', what: 'list the pipelines' },
      { line: 'teams pipeline impl-only "Add a dark mode" --agent claude', what: 'plan, implement, test and review' },
      { line: 'teams pipeline full-lifecycle "A shop" --yes', what: 'approve its checkpoint without a question' },
      { line: 'teams pipeline --eject spec-only', what: 'make your own copy in .teams/' },
    ],
    load: () => import('../commands/runs/pipeline.ts'),
  },
];
