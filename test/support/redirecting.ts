import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { descriptorOf, HELD_SERVER, listening, withDescriptors } from './held-socket.ts';
import type { Resources } from './resources.ts';

/** A process that redirects to HTTPS, by the part of the configuration that it goes by. Returns its address. */
export async function redirecting(opened: Resources, config: object = {}): Promise<string> {
  const server = await listening({ host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const child = withDescriptors(
    [process.execPath, HELD_SERVER, JSON.stringify(config)],
    'http',
  )([descriptorOf(server)]);
  opened.onEnd(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  server.close();
  return `http://127.0.0.1:${port}`;
}
