/** Help for the keys of `isolation` as a map, which plans and the configuration have alike. */
import type { KeyHelpTable } from '../text/key-help.ts';

export const TREE_KEY_HELP: KeyHelpTable = {
  lend: {
    text: 'Folders and files of the project that git ignores and each tree borrows, read-only.',
    example: ['node_modules'],
  },
  setup: {
    text: 'Commands that run once in each tree, before its first task. One that fails fails the attempt.',
    example: 'npm ci',
  },
  teardown: {
    text: 'Commands that run at the end of a run in each tree whose setup began.',
    example: 'docker compose down',
  },
  review: {
    text: 'Each change waits until a person accepts it or sends it back with a note, before it lands.',
    otherwise: 'nobody; the gates decide',
    example: 'person',
  },
};
