import type { Duplex } from 'node:stream';
import type { PeerCertificate, TLSSocket } from 'node:tls';

const MOST_LENGTH = 100;

/** The error of an untrusted certificate. */
export interface CertificateError {
  /** `CN=proxy.example.com, issued by CN=Example Proxy CA`. */
  certificate?: string;
}

/**
 * Adds an untrusted peer's certificate to the error, which Node omits: it reveals who opens TLS on the way. `socket`:
 * TLS, not yet connected.
 */
export function nameCertificate(socket: Duplex): void {
  // Before Node judges the certificate, which is then out of reach.
  socket.prependOnceListener('secure', () => {
    // getPeerX509Certificate would leave Node without the certificate's names, so without trust.
    const shown: PeerCertificate | null = (socket as TLSSocket).getPeerCertificate();
    const certificate = `${nameOf(shown?.subject)}, issued by ${nameOf(shown?.issuer)}`;
    socket.prependOnceListener('error', (error: CertificateError) => {
      error.certificate = certificate;
    });
  });
}

/** Returns one line, since it goes to terminals and logs. */
function nameOf(name: object | undefined): string {
  const parts = Object.entries(name ?? {}).map(([kind, value]) => `${kind}=${value}`);
  const line = parts.join(' ').replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return line.slice(0, MOST_LENGTH) || 'no one';
}
