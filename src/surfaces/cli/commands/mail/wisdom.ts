/** `teams wisdom`: shows the notes of a session, or adds one. */
import { contribute, parseWisdomFile, readWisdom, UsageError } from '../../../../app.ts';
import { givenText } from '../../input/stdin.ts';
import { noMore } from '../../input/options.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

export const act: Act = async (context, given) => {
  const { handle: opened, words } = await openTeamChoice(context, given.words, { needs: 2 });
  await using handle = opened;
  const [file, word, ...rest] = words;
  noMore(rest);
  if (word !== undefined) {
    const name = parseWisdomFile(file ?? '');
    const text = (await givenText(context, word)).trim();
    if (text === '') throw new UsageError('USAGE', `Which note for ${name}? \`teams wisdom [TEAM] ${name} TEXT\`.`);
    const added = await contribute(handle, name, text.split('\n'));
    context.result(
      { file: name, added },
      added.length === 0 ? 'already noted' : added.map((one) => `- ${one}`).join('\n'),
    );
    return 0;
  }
  const wanted = file === undefined ? undefined : parseWisdomFile(file);
  const wisdom = readWisdom(handle.store.disk, handle.paths).filter(
    (one) => wanted === undefined || one.file === wanted,
  );
  const lines = wisdom.flatMap((one) =>
    one.bullets.length === 0 ? [] : [`# ${one.file}`, ...one.bullets.map((b) => `- ${b}`)],
  );
  context.result({ wisdom: Object.fromEntries(wisdom.map((one) => [one.file, one.bullets])) }, lines.join('\n'));
  return 0;
};
