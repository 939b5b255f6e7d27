import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import type { Config } from '../../config/config.ts';

const DEADLINE_MS = 5_000;
/** Wildcard addresses cannot be connected to. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Returns the certificate shown to clients; null: none, or no answer. `url`: the reported listening address. */
export function servedCertificate(
  { listen, tls }: Pick<Config, 'listen' | 'tls'>,
  url?: string,
): Promise<X509Certificate | null> {
  return tls === null ? Promise.resolve(null) : shownAt(url === undefined ? listen : addressIn(url));
}

/** Does the same for any TLS server. */
export function certificateAt(url: string): Promise<X509Certificate | null> {
  return shownAt(addressIn(url));
}

function shownAt({ host, port }: Config['listen']): Promise<X509Certificate | null> {
  if (port === 0) return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect({ host: LOOPBACK[host] ?? host, port, rejectUnauthorized: false });
    // The socket's own timeout restarts with every handshake byte.
    const timer = setTimeout(() => socket.destroy(), DEADLINE_MS);
    const end = (certificate: X509Certificate | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(certificate);
    };
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate() ?? null));
    socket.once('error', () => end(null));
    socket.once('close', () => end(null));
  });
}

export function addressIn(url: string): Config['listen'] {
  const { protocol, hostname, port } = new URL(url);
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port) || (protocol === 'http:' ? 80 : 443) };
}
