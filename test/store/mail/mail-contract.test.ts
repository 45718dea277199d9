/** What holds for mail wherever its team is, on files. */
import { describe, it } from 'vitest';
import { TeamStore } from '../../../src/store/team/team-store.ts';
import { realClock } from '../../support/clock.ts';
import { MAIL_CONTRACT, TeamMail } from '../../support/mail-contract.ts';
import { hang, name, teamAt } from '../../support/team.ts';
import { tempDir } from '../../support/temp.ts';

describe('mail on files', () => {
  it.each(MAIL_CONTRACT)('$what', async ({ holds }) => {
    const paths = teamAt(tempDir());
    hang(paths, name('ada'), name('bob'));
    const sending = new TeamStore(paths, { clock: realClock, create: true });
    const reading = new TeamStore(paths, { clock: realClock });
    const mail = new TeamMail({ sending, reading });
    try {
      await holds(mail);
    } finally {
      mail.close();
      for (const store of [sending, reading]) await store.close();
    }
  });
});
