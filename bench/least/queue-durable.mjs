/** As {@link queueing}, flushed as shipped. */
import { queueing } from './queue-base.mjs';

export const { prepare, producer, consumer } = queueing({ isFlushed: true });
