/** Which failures of git are tried again. */
import { expect, it } from 'vitest';
import { GitFailure, LateGit, requireGit } from '../../../src/runtime/process/git-tree.ts';
import { triedAgain } from '../../../src/runtime/process/try-again.ts';

const answer = { code: -1, text: '', data: Buffer.alloc(0), bytes: 0, said: 'git took more than 60 s' };

const triesOf = async (isLate: boolean): Promise<number> => {
  let tries = 0;
  const work = (): Promise<string> => {
    tries += 1;
    return Promise.resolve().then(() => requireGit({ ...answer, isLate }, 'git add'));
  };
  await expect(triedAgain(work)).rejects.toThrow(isLate ? LateGit : GitFailure);
  return tries;
};

it('a failure is tried again, a git that took too long is not: it would again', async () => {
  expect([await triesOf(false), await triesOf(true)]).toEqual([3, 1]);
});
