/** Sending without a flush, as its yardsticks do not flush either. */
import { sending } from './send-base.mjs';

export const { prepare, writer, collect } = sending({ durable: false });
