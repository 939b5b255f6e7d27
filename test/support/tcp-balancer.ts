import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A plain TCP balancer: each connection goes to the next server, and where that one takes none, to the one behind it. It
 * looks into nothing, so a server that hangs still gets its share.
 */
export interface TcpBalancer {
  readonly url: string;
  /** From now on new connections are shared among these servers. */
  leadTo(urls: readonly string[]): void;
  close(): Promise<void>;
}

export async function startTcpBalancer(): Promise<TcpBalancer> {
  const open = new Set<Socket>();
  let ports: readonly number[] = [];
  let turn = 0;

  const server = createServer((near) => {
    open.add(near);
    near.on('error', () => near.destroy()).on('close', () => open.delete(near));
    turn += 1;
    lead(near, turn, ports.length);
  });

  function lead(near: Socket, place: number, tries: number): void {
    const port = ports[place % ports.length];
    if (port === undefined || tries === 0) return void near.destroy();
    const far = connect(port, '127.0.0.1');
    far.once('error', () => {
      far.destroy();
      lead(near, place + 1, tries - 1);
    });
    far.once('connect', () => {
      far.removeAllListeners('error');
      far.on('error', () => near.destroy());
      near.on('close', () => far.destroy());
      near.pipe(far).pipe(near);
    });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(urls) {
      ports = urls.map((url) => Number(new URL(url).port));
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
