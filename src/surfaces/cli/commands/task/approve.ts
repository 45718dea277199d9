/** `teams task approve`: its member may begin. */
import { answer } from './answer-plan.ts';

export const act = answer(true);
