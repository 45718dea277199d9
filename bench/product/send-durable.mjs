/** Sending as shipped: the receipt comes when the line is on the disk. */
import { sending } from './send-base.mjs';

export const { prepare, writer, collect } = sending({ durable: true });
