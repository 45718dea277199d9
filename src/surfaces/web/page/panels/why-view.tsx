/** What a member or task waits for, in the words of `teams why`. */
import type { JSX } from 'preact';
import type { WhyDetail } from '../../wire-types.ts';
import { useAnswer } from '../use-answer.ts';
import { usePageNavigation } from '../navigation.ts';

/** @param mark a new value causes a new request */
export function Why({ subject, mark }: { subject: string; mark: unknown }): JSX.Element | null {
  const { team } = usePageNavigation();
  const sight = useAnswer<WhyDetail>(team, `why?${new URLSearchParams({ subject })}`, mark);
  return sight.kind === 'there' ? <p class="why said">{sight.value.text}</p> : null;
}
