import type { Duplex } from 'node:stream';
import type { PeerCertificate, TLSSocket } from 'node:tls';

const MOST_LENGTH = 100;

/** An error of a connection whose certificate was not trusted. */
export interface CertificateError {
  /** `CN=proxy.example.com, issued by CN=Example Proxy CA`. */
  certificate?: string;
}

/**
 * Has the error of a connection name the certificate that the peer showed, if that is not trusted: Node's own error does
 * not, and a person needs it to find what opens TLS on the way. `socket`: of TLS, and not connected yet.
 */
export function nameCertificate(socket: Duplex): void {
  // Emitted before Node judges the certificate; once it has, the certificate is out of reach.
  socket.prependOnceListener('secure', () => {
    // Not getPeerX509Certificate: after that, Node finds no names in the certificate, and trusts none.
    const shown: PeerCertificate | null = (socket as TLSSocket).getPeerCertificate();
    const certificate = `${nameOf(shown?.subject)}, issued by ${nameOf(shown?.issuer)}`;
    socket.prependOnceListener('error', (error: CertificateError) => {
      error.certificate = certificate;
    });
  });
}

/** On one line, as what another machine says goes to terminals and logs. */
function nameOf(name: object | undefined): string {
  const parts = Object.entries(name ?? {}).map(([kind, value]) => `${kind}=${value}`);
  const line = parts.join(' ').replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
  return line.slice(0, MOST_LENGTH) || 'no one';
}
