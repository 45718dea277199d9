/** `teams task refuse`: its member must plan anew. */
import { answer } from './answer-plan.ts';

export const act = answer(false);
