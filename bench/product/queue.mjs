/** The inbox as a queue, with flushing left to the system, as in its yardsticks. */
import { queueing } from './queue-base.mjs';
import { lazyDisk } from './team.mjs';

export const { prepare, producer, consumer } = queueing({ durable: false, disk: lazyDisk });
