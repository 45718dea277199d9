/** Verbs that carry out a pipeline of roles. */
import type { Verb } from '../verb.ts';

export const pipelines: readonly Verb[] = [
  {
    name: 'pipeline',
    summary: 'carry out a pipeline: roles that hand on to each other, from a requirement to a report',
    words: '[name] [requirement...]',
    options: [
      { flags: '--list', what: 'the pipelines there are' },
      { flags: '--graph', what: 'show what it would do, and start nothing' },
      { flags: '--eject', what: 'copy it, with its roles, to where they can be changed: [name] [directory]' },
      { flags: '--agent <agent>', what: 'of every role: a kind, a configured name, auto, exec:COMMAND or JSON' },
      { flags: '--timeout <duration>', what: 'stop after this time, exit 124' },
      { flags: '--max-cost <dollars>', what: 'stop hard when so much was spent' },
      { flags: '--max-tokens <number>', what: 'stop hard when so many tokens were used' },
      { flags: '--detach', what: 'lead in the background, log in logs/lead.log' },
    ],
    examples: [
      { line: 'teams pipeline --list', what: 'what there is' },
      { line: 'teams pipeline impl-only "Add a dark mode" --agent claude', what: 'plan, implement, test and review' },
      { line: 'teams pipeline full-lifecycle "A shop" --yes', what: 'ask nobody at its checkpoint' },
      { line: 'teams pipeline --eject spec-only', what: 'your own copy, in .teams/' },
    ],
    load: () => import('../commands/runs/pipeline.ts'),
  },
];
