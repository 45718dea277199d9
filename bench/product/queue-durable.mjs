/** The inbox as a queue, as shipped: a message is sent or acknowledged when it is on the disk. */
import { realDisk } from '../.build/product.mjs';
import { queueing } from './queue-base.mjs';

export const { prepare, producer, consumer } = queueing({ durable: true, disk: realDisk });
