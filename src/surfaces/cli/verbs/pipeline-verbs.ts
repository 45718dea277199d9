/** The verb that runs a pipeline of roles. */
import type { Verb } from '../verb.ts';
import { budgetOptions } from './budget-options.ts';

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
      ...budgetOptions('the team'),
      {
        flags: '--isolation <mode>',
        what: 'trees: each role works in a tree of its own, and `teams apply` brings what landed into your files; off; auto',
      },
      { flags: '--apply', what: 'bring what landed into your files at the end, where roles have trees of their own' },
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
