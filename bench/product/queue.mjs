/** The inbox as a queue, flushing left to the system as the yardsticks beside it do. */
import { queueing } from './queue-base.mjs';
import { lazyDisk } from './team.mjs';

export const { prepare, producer, consumer } = queueing({ durable: false, disk: lazyDisk });
