/** As {@link queueing}; nothing is flushed. */
import { queueing } from './queue-base.mjs';

export const { prepare, producer, consumer } = queueing({ isFlushed: false });
