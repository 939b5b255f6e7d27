import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A bare connection, from an address of one's choice: all of 127.0.0.0/8 is this machine. Its reset is no error. */
export async function openRaw(url: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  await once(socket, 'connect');
  return socket.on('error', () => {});
}

/** Resolves with the first bytes of an answer, or null where the connection ends without any. */
export function firstBytes(socket: Socket): Promise<string | null> {
  return new Promise((resolve) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1')));
    socket.once('close', () => resolve(null));
  });
}
