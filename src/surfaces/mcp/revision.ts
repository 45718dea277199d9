/** What differs in answers between the revisions of the protocol, and what the SDK does not do by itself. */
import { INVALID_PARAMS, ProtocolErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { isMap } from '../../app.ts';

/** In later revisions of the protocol a missing resource is an invalid parameter. */
const LAST_WITH_RESOURCE_NOT_FOUND = '2025-11-25';

/**
 * The SDK gives a missing resource the code of 2026-07-28 in every revision.
 *
 * @param version negotiated by `initialize`; later revisions negotiate none
 */
export function inRevision(message: JSONRPCMessage, version: string | undefined): JSONRPCMessage {
  if (!('error' in message) || (version ?? '9') > LAST_WITH_RESOURCE_NOT_FOUND) return message;
  const { code, data } = message.error;
  const isMissing = code === INVALID_PARAMS && isMap(data) && typeof data['uri'] === 'string';
  return isMissing ? { ...message, error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound } } : message;
}
