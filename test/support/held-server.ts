/**
 * A process that listens on its passed sockets, as the server does, and answers with its number and the socket's name.
 * It prints any fault of them. Its argument: the part of the configuration that redirects go by.
 */
import { heldSockets } from '../../src/config/held-sockets.ts';
import { ProvenClients } from '../../src/http/limits/proven-clients.ts';
import { startHttp } from '../../src/http/listeners/listener.ts';
import { startRedirects } from '../../src/http/listeners/redirects.ts';
import { createLog } from '../../src/server/log.ts';

const log = createLog('error', { write: () => undefined });
const config = {
  baseUrl: 'https://push.example.com/api',
  listen: { host: '127.0.0.1', port: 1 },
  tls: null,
  proxy: { trusted: [] },
  senders: { hosts: { 'ntfy.example.com': 'ntfy' } },
  limits: { connectionsPerAddress: 512 },
};
const proven = new ProvenClients();
const textAt = (path: string) => (path === '/.well-known/acme-challenge/token' ? 'token.thumbprint' : null);
try {
  const { https, http } = heldSockets(process.env, process.pid);
  if (https !== null) {
    const handler = (_: unknown, response: { end(text: string): unknown }) => response.end(`${process.pid} https`);
    const running = await startHttp({ handler, config, held: https, log, proven });
    process.once('SIGTERM', () => void running.close(1_000, 1_000).then(() => process.exit(0)));
  }
  if (http !== null) {
    const changed = { ...config, ...JSON.parse(process.argv[2] ?? '{}') };
    await startRedirects({ held: http, config: changed, log, proven, textAt });
  }
  process.stdout.write(`${JSON.stringify({ https, http })}\n`);
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
  process.exitCode = (error as { exitCode?: number }).exitCode ?? 1;
}
