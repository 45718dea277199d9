/** What a terminal is told about a team that waits for a person or is over. */
import { describe, expect, it } from 'vitest';
import type { TeamSnapshot } from '../../../src/app.ts';
import { notificationOf, Notifier } from '../../../src/surfaces/terminal/watch/notifier.ts';
import { name } from '../../support/team.ts';

type Look = Pick<TeamSnapshot, 'problems' | 'outcome'>;

const at = (outcome: Look['outcome'], ...ids: string[]): Look => ({
  outcome,
  problems: ids.map((id) => ({
    kind: 'request',
    subject: 'member ada',
    text: 'asks',
    request: { id, kind: 'question', from: name('ada'), text: 'Which; one?\u001b[2J' },
  })),
});
const KITTY = { TERM: 'xterm-kitty' };

describe('a notifier', () => {
  it('tells each new request once, the end once, and nothing that was there before', () => {
    const notifier = new Notifier('auto', KITTY);
    expect(notifier.look('ci', at('running', 'a'))).toBe('');
    expect(notifier.look('ci', at('waiting', 'a', 'b'))).toBe('\u0007\u001b]99;;ci: ada asks: Which, one?\u001b\\');
    expect(notifier.look('ci', at('waiting', 'a', 'b'))).toBe('');
    expect(notifier.look('ci', at('failed'))).toBe('\u0007\u001b]99;;ci: failed\u001b\\');
    expect(notifier.look('ci', at('failed'))).toBe('');
  });

  it('only rings, or is silent, as it is set', () => {
    for (const [notify, told] of [
      ['bell', '\u0007'],
      ['off', ''],
    ] as const) {
      const notifier = new Notifier(notify, KITTY);
      notifier.look('ci', at('running'));
      expect(notifier.look('ci', at('running', 'a'))).toBe(told);
    }
  });

  it.each([
    [{ TERM: 'xterm-kitty' }, '\u001b]99;;x\u001b\\'],
    [{ TERM: 'foot' }, '\u001b]777;notify;teams;x\u001b\\'],
    [{ TERM: 'xterm-256color', VTE_VERSION: '7000' }, '\u001b]777;notify;teams;x\u001b\\'],
    [{ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, '\u001b]9;x\u001b\\'],
    [{ TERM: 'tmux-256color' }, ''],
  ])('in %j the sequence is %j', (environment, sequence) => {
    expect(notificationOf('x', environment)).toBe(sequence);
  });
});
