/**
 * ACP over two streams, one message a line. In contrast to the SDK's stream, a frame above the limit is answered with an
 * error, and the connection goes on.
 */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { isMap } from '../../app.ts';
import { FrameReader, INVALID_REQUEST, type HeardFrame } from '../wire/frames.ts';
import type { HostWire } from '../wire/own-wire.ts';

/** Every object is passed to the SDK, which validates it. */
const messageSchema = z.custom<AnyMessage>((value) => isMap(value));

export function editorStream({ input, output }: HostWire, onTrouble: (error: Error) => void): Stream {
  const frames = new FrameReader();
  // A write to an editor that is gone must not be an uncaught error.
  output.on('error', onTrouble);
  const write = (message: object): Promise<void> =>
    new Promise((resolve) => output.write(`${JSON.stringify(message)}\n`, () => resolve()));
  const refuse = (code: number, message: string, id: string | number | undefined): void => {
    onTrouble(new Error(message));
    void write({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });
  };
  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const take = (heard: HeardFrame): void => {
        if (heard.kind === 'refused') {
          refuse(heard.code, heard.message, heard.id);
          return;
        }
        const message = messageSchema.safeParse(heard.value);
        if (message.success) controller.enqueue(message.data);
        else refuse(INVALID_REQUEST, 'The line is not a JSON-RPC 2.0 message.', undefined);
      };
      const read = (chunk: Buffer): void => {
        for (const heard of frames.push(chunk)) take(heard);
      };
      input.on('data', read);
      let isOpen = true;
      for (const end of ['end', 'close', 'error'])
        input.once(end, () => {
          input.off('data', read);
          if (isOpen) controller.close();
          isOpen = false;
        });
    },
  });
  return { readable, writable: new WritableStream<AnyMessage>({ write }) };
}
