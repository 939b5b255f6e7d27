import { type ConnectionSettings, type Connections, connectionsTo } from '../../src/store/postgres/connections.ts';
import { borrowedSchema, empty, giveBack } from './postgres.ts';

/**
 * A schema that the tests of a file pass on to each other, with connections that stay open meanwhile. Reading a schema
 * and its functions takes a backend longer than most tests do.
 */
export interface KeptSchema {
  readonly url: string;
  /** Instead of connections of a store's own; their `close` waits for what was asked, and leaves them open. */
  readonly connect: typeof connectionsTo;
  end(): Promise<void>;
}

const free: KeptSchema[] = [];

/** One that an earlier test of this file has passed on, else another file's, else a new one. */
export async function keptSchema(): Promise<KeptSchema> {
  return free.pop() ?? keep(await borrowedSchema());
}

/** Empties it for the next test. Its stores are closed. */
export async function passOn(schema: KeptSchema): Promise<void> {
  await empty(schema.url);
  free.push(schema);
}

/** Gives the kept schema to other files. */
export async function giveBackKept(): Promise<void> {
  for (const schema of free.splice(0)) {
    await schema.end();
    await giveBack(schema.url);
  }
}

function keep(url: string): KeptSchema {
  const known = new Map<string, Connections>();
  return {
    url,
    connect(settings: ConnectionSettings) {
      const key = JSON.stringify(settings);
      const connections = known.get(key) ?? connectionsTo(settings);
      known.set(key, connections);
      return lent(connections);
    },
    async end() {
      for (const connections of known.values()) await connections.close();
    },
  };
}

function lent({ place, lend, transaction, abandon }: Connections): Connections {
  const underWay = new Set<Promise<unknown>>();
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    try {
      return await work;
    } finally {
      underWay.delete(work);
    }
  };
  return {
    place,
    lend: (work) => watched(lend(work)),
    transaction: (...args) => watched(transaction(...args)),
    abandon,
    close: async () => void (await Promise.allSettled(underWay)),
  };
}
