/** The inbox as a queue, as shipped: sent and acknowledged when it is on the disk. */
import { realDisk } from '../.build/product.mjs';
import { queueing } from './queue-base.mjs';

export const { prepare, producer, consumer } = queueing({ durable: true, disk: realDisk });
