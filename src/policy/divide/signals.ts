/**
 * The signal words of tasks, as data (docs/specification.md R8.6). In the domain lists, the words before the blank line
 * come from the requirements; those after it are additions. A word also matches its plural. `~` matches every word that
 * begins so, `|` joins forms of one word, and a hyphen also matches a space.
 */
const list = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

const AUTH = 'auth|authenticat~|authoriz~|authoris~';

export const BACKEND = list(`
  api server database|databases|db script docker~ ${AUTH} middleware redis queue worker webhook graphql rest|restful
  grpc lambda serverless terraform

  backend|back-end jwt oauth endpoint sql postgres~ mysql sqlite mongo~ schema migration orm cron kubernetes|k8s nginx
  microservice daemon kafka rabbitmq s3 cli websocket
`);

export const FRONTEND = list(`
  component ui css react vue design layout animat~ accessib~|a11y tailwind svg icon font color|colour storybook

  frontend|front-end ux html scss sass svelte angular nextjs responsive page button modal dialog navbar sidebar
  stylesheet theme dark-mode aria viewport carousel tooltip dropdown dom
`);

export const ARCHITECTURE = list(`
  architect~ redesign~ system-design microservice monolith scalab~ decoupl~ design-pattern event-driven
`);

export const DEBUG = list(`
  debug~ bug diagnos~ investigat~ root-cause troubleshoot~ intermittent~ flaky crash~ deadlock race-condition
  memory-leak regression stack-trace
`);

/** These words count as risk and as cross-file (docs/specification.md R8.7). */
export const SECURITY = list(`
  security|secure ${AUTH} jwt oauth password credential encrypt~|decrypt~|crypto~ csrf xss injection vulnerab~
  permission secret
`);

export const RISK = list(`
  critical production risk|risky payment billing compliance gdpr pii data-loss breaking-change backward-compatib~
  concurren~
`);

export const REFACTOR = list(`
  refactor~ restructur~ rewrit~ reorganiz~|reorganis~ moderniz~|modernis~ cleanup|clean-up
`);

export const WHY = list('why how-come');

export const CROSS_FILE = list(`
  across cross-file cross-module multi-file multiple-files several-files all-files every-file everywhere shared-types
`);

export const TESTS = list('test|tested|testing coverage spec e2e');

export const SYSTEM_WIDE = list(`
  system-wide codebase project-wide application-wide end-to-end globally entire-project|whole-project
  entire-application|whole-application entire-system|whole-system
`);

export const IRREVERSIBLE = list(`
  irreversib~ drop-table drop-column delete-all truncate purge destructive force-push migrat~ wipe
`);

/** Characters that are searched. The topic of a task is near its beginning, and long texts cost no more. */
const LOOKED_AT = 32_768;

/** Every distinct word of a list that the text contains, by its first form, in the list's order. */
export function hits(text: string, words: readonly string[]): string[] {
  const flat = ` ${text
    .slice(0, LOOKED_AT)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')} `;
  return words.flatMap((word) => {
    const forms = word.split('|');
    return forms.some((form) => containsForm(flat, form)) ? forms.slice(0, 1).map(bare) : [];
  });
}

const bare = (form: string): string => form.replace(/~$/, '').replaceAll('-', ' ');

function containsForm(flat: string, form: string): boolean {
  const word = bare(form);
  if (form.endsWith('~')) return flat.includes(` ${word}`);
  return [word, `${word}s`, `${word}es`, word.replace(/y$/, 'ies')].some((one) => flat.includes(` ${one} `));
}
