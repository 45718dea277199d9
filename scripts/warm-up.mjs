/**
 * node scripts/warm-up.mjs NAME — makes the code caches of dist/NAME.cjs and of the bundles that it loads, and prints
 * their paths; `frequent WORD` makes that of the frequent verbs which begin with this word. It runs the bundle in its own process, calls its `warmUp()` (what every start does, without effects),
 * and keeps what V8 compiled.
 */
import { createRequire } from 'node:module';

const { builtCache, load, loaded, writeCache } = createRequire(import.meta.url)('../bin/load.cjs');

const [name, word] = process.argv.slice(2);
const frequent = name === 'frequent' ? load(name, word) : undefined;
const { exports } = load(frequent ? 'teams' : name);
for (const wanted of ['main', 'warmUp'])
  if (typeof exports[wanted] !== 'function') throw new Error(`The bundle of ${name} does not export ${wanted}().`);
await exports.warmUp(frequent && { word, run: frequent.exports.main });
// Bundles of packages that no verb of the warm-up needs.
if (name === 'teams') {
  warmZod(load('zod').exports);
  load('yaml').exports.parse('name: warm\ntasks:\n  - { subject: "look", run: true }\n');
  load('picomatch').exports('src/**/*.{ts,tsx}')('src/a/b.ts');
}
const made = frequent ? [frequent] : [...loaded.values()];
const caches = made.map(({ script, cache }) => ({ path: builtCache(cache), script }));
for (const { path, script } of caches) writeCache(path, script.createCachedData());
process.stdout.write(caches.map(({ path }) => path).join('\n'));
// End here: what the warm-up opened is not needed any more.
process.exit(0);

/** What makes most schemas of a teammate, and reads by them. */
function warmZod(z) {
  const id = z
    .string()
    .min(1)
    .max(64)
    .regex(/^\w/)
    .refine((text) => text !== 'x');
  const part = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('one'), id, at: z.int().min(0).optional() }),
    z.looseObject({
      type: z.literal('two'),
      list: z
        .array(z.enum(['a', 'b']))
        .max(9)
        .default([]),
    }),
  ]);
  const schema = z.object({
    parts: z.array(part).min(1),
    more: z.record(z.string(), z.union([id, z.number(), z.boolean()])).catch({}),
    text: z
      .string()
      .transform((text) => text.trim())
      .nullable(),
  });
  const given = { parts: [{ type: 'one', id: 'a', at: 1 }, { type: 'two' }], more: { n: 1 }, text: ' a ' };
  if (!schema.safeParse(given).success || schema.safeParse({}).success) throw new Error('zod reads otherwise.');
}
