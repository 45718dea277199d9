/** NATS JetStream with file storage: published in batches that are awaited, pulled 1,000 at a time, acknowledged. */
import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const open = ({ nats }) => connect({ servers: `127.0.0.1:${nats}` });

export async function prepare(_dir, place) {
  const connection = await open(place);
  const manager = await jetstreamManager(connection);
  const retention = RetentionPolicy.Workqueue;
  await manager.streams.add({ name: place.id, subjects: [`${place.id}.>`], storage: StorageType.File, retention });
  await manager.consumers.add(place.id, {
    durable_name: 'one',
    ack_policy: AckPolicy.Explicit,
    max_ack_pending: 100_000,
  });
  await connection.close();
}

export async function producer(place) {
  const connection = await open(place);
  const stream = jetstream(connection);
  return {
    add: (bodies) => Promise.all(bodies.map((body) => stream.publish(`${place.id}.mail`, body))),
    close: () => connection.drain(),
  };
}

export async function consumer(place, onBody) {
  const connection = await open(place);
  const pull = await jetstream(connection).consumers.get(place.id, 'one');
  const read = async () => {
    for await (const message of await pull.consume({ max_messages: 1_000 })) {
      onBody(message.string());
      message.ack();
    }
  };
  return { start: () => void read() };
}
