/**
 * ACP over two streams, one message a line. In contrast to the SDK's stream, a frame above the limit is answered with an
 * error, and the connection goes on. While many answers wait for an editor that does not read, nothing is read from it.
 */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { isMap, roomIn } from '../../app.ts';
import { FrameReader, INVALID_REQUEST, type HeardFrame } from '../wire/frames.ts';
import type { HostWire } from '../wire/own-wire.ts';

/** Every object is passed to the SDK, which validates it. */
const messageSchema = z.custom<AnyMessage>((value) => isMap(value));

export function editorStream({ input, output }: HostWire, onTrouble: (error: Error) => void): Stream {
  const frames = new FrameReader();
  // A write to an editor that is gone must not be an uncaught error.
  output.on('error', onTrouble);
  const send = (message: object): void => void output.write(`${JSON.stringify(message)}\n`);
  const refuse = (code: number, message: string, id: string | number | undefined): void => {
    onTrouble(new Error(message));
    send({ jsonrpc: '2.0', id: id ?? null, error: { code, message } });
  };
  /** Reads on, once the editor has read and the SDK takes more. */
  const readOn = async (controller: ReadableStreamDefaultController): Promise<void> => {
    await roomIn(output);
    if ((controller.desiredSize ?? 0) > 0) input.resume();
  };
  let stop = (): void => undefined;
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
        input.pause();
        void readOn(controller);
      };
      input.on('data', read);
      let isOpen = true;
      stop = () => {
        input.off('data', read);
        isOpen = false;
      };
      for (const end of ['end', 'close', 'error'])
        input.once(end, () => {
          if (isOpen) controller.close();
          stop();
        });
    },
    pull: readOn,
    // Our end closes the connection before its input.
    cancel: () => stop(),
  });
  const writable = new WritableStream<AnyMessage>({
    // The SDK sends one message after the other: what waits here holds up its queue.
    write(message) {
      send(message);
      return roomIn(output);
    },
  });
  return { readable, writable };
}
