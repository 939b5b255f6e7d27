import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A way to a server that can be slow to come up, or go dead without a word, as when a router forgets its connections.
 */
export interface TcpProxy {
  /** `https` address that leads to the server. */
  readonly url: string;
  /** Connections made so far. */
  readonly connections: number;
  /** Nothing passes over the present connections any more, and neither end learns of it. New ones work. */
  freeze(): void;
  /** From now on connections are made, but nothing passes over them before `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(serverUrl);
  const pairs: (readonly [Socket, Socket])[] = [];
  let held: (readonly [Socket, Socket])[] | null = null;
  const join = ([near, far]: readonly [Socket, Socket]) => near.pipe(far).pipe(near);
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    pairs.push([near, far]);
    if (held) held.push([near, far]);
    else join([near, far]);
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return pairs.length;
    },
    freeze() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.resume();
        far.resume();
      }
    },
    hold() {
      held ??= [];
    },
    release() {
      for (const pair of held ?? []) join(pair);
      held = null;
    },
    async close() {
      for (const socket of pairs.flat()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
