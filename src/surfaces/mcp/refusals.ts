/** Refusals as errors of the protocol. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { isTeamError } from '../../app.ts';

/** The parameters of a list. */
export const PAGE = { params: z.looseObject({ cursor: z.string().optional() }) };

/** Each list has one page, so that a cursor is never one of ours. */
export function refuseCursor({ cursor }: z.output<typeof PAGE.params>): void {
  if (cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such cursor.');
}

export const noResource = (uri: string): ResourceNotFoundError =>
  new ResourceNotFoundError(uri, `There is no resource ${uri}.`);

/** @throws a refusal of the runtime as an error of the protocol; other errors as they are */
export function invalid(error: unknown): never {
  if (!isTeamError(error)) throw error;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.code}: ${error.message}`);
}
