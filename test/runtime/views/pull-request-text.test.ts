/** The text of a pull request: what members wrote is shown there, and does nothing. */
import { describe, expect, it } from 'vitest';
import { pullRequestText } from '../../../src/runtime/views/pull-request-text.ts';
import type { Report } from '../../../src/runtime/views/report-text.ts';

const report = (subject: string): Report =>
  ({
    team: 'login',
    tasks: [{ id: '7', subject, status: 'failed' }],
    gates: {},
    verification: null,
  }) as unknown as Report;

describe('the text of a pull request', () => {
  it.each([
    ['a mention', 'ask @octocat', '`ask @octocat`'],
    ['a word that closes an issue', 'Fixes #1', '`Fixes #1`'],
    ['a link', '[x](https://evil.example)', '`[x](https://evil.example)`'],
    ['HTML', '<img src=x>', '`<img src=x>`'],
    ['code', 'use `a` here', '`` use `a` here ``'],
    ['the end of code', 'a`` @b `', '``` a`` @b ` ```'],
  ])('has %s of a member as code', (_what, subject, shown) => {
    const { body } = pullRequestText(report(subject), [subject]);
    expect(body).toContain(`## Changes\n\n- ${shown}\n`);
    expect(body).toContain(`## Not in it\n\n- task 7, ${shown}: failed\n`);
  });
});
