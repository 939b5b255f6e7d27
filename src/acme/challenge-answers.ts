import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Challenge } from './order.ts';
import type { Shown } from './run-order.ts';

const PATH = '/.well-known/acme-challenge/';

export class ChallengeAnswers implements Shown {
  readonly #certificates = new Map<string, SecureContext>();
  readonly #contents = new Map<string, string>();

  show(challenge: Challenge): void {
    const { type, domain } = challenge;
    if (type === 'http-01') this.#contents.set(challenge.token, challenge.content);
    else this.#certificates.set(domain, createSecureContext({ cert: challenge.cert, key: challenge.key }));
  }

  clear(): void {
    this.#certificates.clear();
    this.#contents.clear();
  }

  /** Presents the proving certificate (tls-alpn-01, RFC 8737). False: there is none. */
  takeTls(socket: TLSSocket, servername: string): boolean {
    const certificate = this.#certificates.get(servername);
    if (certificate === undefined) return false;
    socket.setKeyCert(certificate);
    return true;
  }

  /** Returns a path's plain text (http-01, RFC 8555, section 8.3); null: none. */
  contentAt(path: string): string | null {
    return path.startsWith(PATH) ? (this.#contents.get(path.slice(PATH.length)) ?? null) : null;
  }
}
