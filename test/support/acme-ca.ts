import { createHash, createPublicKey, type JsonWebKey, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Authority, makeAuthority, makeServerCertificate } from '../../src/sandbox/credentials.ts';
import { issue, readRequest } from './acme-issuing.ts';
import { temporaryFolder } from './folder.ts';

const DAY_MS = 86_400_000;
/** The extension of a certificate that proves a name, critical, with a hash of 32 bytes (RFC 8737, section 3). */
const PROOF = Buffer.from('06082b0601050507011f0101ff04220420', 'hex');

export interface Refusal {
  readonly status: number;
  readonly type: string;
  readonly detail: string;
  readonly retryAfter?: string;
}

interface Order {
  readonly domains: readonly string[];
  readonly replaces: string | null;
  readonly authorizations: readonly Authorization[];
  certificate: string | null;
}

interface Authorization {
  readonly domain: string;
  readonly token: string;
  status: 'pending' | 'valid' | 'invalid';
  error: Refusal | null;
}

interface Signed {
  readonly payload: Record<string, unknown> | null;
  readonly jwk: JsonWebKey;
  readonly thumbprint: string;
}

/** Its keys for signing and for its own certificate. */
export interface Identity {
  readonly authority: Authority;
  readonly tls: { readonly cert: string; readonly key: string };
}

export async function makeIdentity(nowMs = Date.now()): Promise<Identity> {
  const authority = await makeAuthority(nowMs);
  return { authority, tls: await makeServerCertificate(authority, nowMs) };
}

/**
 * A certificate authority of RFC 8555, as strict as the real ones. Each nonce works once, the right key signs each
 * request for its address, and orders keep their order. A request for a certificate names exactly the ordered and
 * proved names. Proofs are made by connecting to `port` of this machine.
 */
export class FakeCa {
  readonly orders: Order[] = [];
  /** Contacts of the accounts. */
  readonly contacts: unknown[] = [];
  /** The answer to orders; null: it makes them. */
  refusal: Refusal | null = null;
  /** The result of looking whether a name leads here; null: it looks. */
  finding: Refusal | null = null;
  /** So many nonces are refused, though they are good. */
  badNonces = 0;
  /** When it wants certificates renewed; null: it does not say. */
  window: { readonly start: string; readonly end: string } | null = null;
  /** The port that it looks at. */
  port: number | Promise<number> = 0;
  challenges: readonly string[] = ['http-01', 'tls-alpn-01', 'dns-01'];
  lifeMs = 90 * DAY_MS;
  readonly authority: Authority;
  readonly caFile: string;
  /** The certificates that it was asked about, by RFC 9773. */
  readonly asked: string[] = [];
  /** Faults of requests: a correct client leaves it empty. */
  readonly wrongs: string[] = [];
  readonly #server;
  readonly #nonces = new Set<string>();
  readonly #accounts = new Map<string, JsonWebKey>();

  static async start(identity?: Identity): Promise<FakeCa> {
    const ca = new FakeCa(identity ?? (await makeIdentity()));
    ca.#server.listen(0, '127.0.0.1');
    await once(ca.#server, 'listening');
    return ca;
  }

  private constructor({ authority, tls }: Identity) {
    this.authority = authority;
    this.caFile = join(temporaryFolder(), 'ca.pem');
    writeFileSync(this.caFile, authority.certPem);
    this.#server = createServer(tls, (request, response) => void this.#take(request, response));
  }

  get directory(): string {
    return this.#url('directory');
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #url(path: string): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}/${path}`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const nonce = randomBytes(12).toString('base64url');
    this.#nonces.add(nonce);
    const { status, body, headers } = await this.#reply(request);
    const type = typeof body === 'string' ? 'application/pem-certificate-chain' : 'application/json';
    response.writeHead(status, { 'Replay-Nonce': nonce, 'Content-Type': type, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async #reply(request: IncomingMessage): Promise<Reply> {
    const path = String(request.url).slice(1);
    if (request.method === 'HEAD' && path === 'nonce') return { status: 200, body: '' };
    if (request.method === 'GET' && path === 'directory') return { status: 200, body: this.#directory() };
    if (request.method === 'GET' && path.startsWith('renewal/')) return this.#renewal(path);
    const text = await textOf(request);
    try {
      return this.#handle(path, this.#verified(request, path, text));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.isWrong) this.wrongs.push(error.message);
      const { status, type, detail, retryAfter } = error.refusal;
      const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
      return { status, body: problem({ status, type, detail }), headers };
    }
  }

  #renewal(path: string): Reply {
    this.asked.push(path.slice('renewal/'.length));
    return { status: 200, body: { suggestedWindow: this.window }, headers: { 'Retry-After': '21600' } };
  }

  #directory(): object {
    const addresses = {
      newNonce: 'nonce',
      newAccount: 'new-account',
      newOrder: 'new-order',
      revokeCert: 'revoke',
      keyChange: 'key',
    };
    const entries = Object.entries(addresses).map(([name, path]) => [name, this.#url(path)]);
    return { ...Object.fromEntries(entries), ...(this.window && { renewalInfo: this.#url('renewal') }) };
  }

  #verified(request: IncomingMessage, path: string, body: string): Signed {
    const isJose = request.headers['content-type'] === 'application/jose+json';
    if (request.method !== 'POST' || !isJose)
      throw wrong('malformed', `${request.method} ${path} is no signed request`);
    const jws = JSON.parse(body) as { protected: string; payload: string; signature: string };
    const head = decoded(jws.protected) as { alg: string; nonce: string; url: string; jwk?: JsonWebKey; kid?: string };
    const isKnown = this.#nonces.delete(head.nonce);
    if (!isKnown) throw wrong('badNonce', `${path}: a nonce that is not known, or was used`);
    if (this.badNonces > 0) {
      this.badNonces -= 1;
      throw new Refused({ status: 400, type: 'badNonce', detail: 'not this one' }, false);
    }
    if (head.url !== this.#url(path)) throw wrong('unauthorized', `${path}: signed for ${head.url}`);
    const isNew = path === 'new-account';
    if (isNew !== (head.jwk !== undefined) || isNew === (head.kid !== undefined))
      throw wrong('malformed', `${path}: jwk or kid in the wrong place`);
    const jwk = head.jwk ?? this.#accounts.get(String(head.kid));
    if (jwk === undefined) throw wrong('accountDoesNotExist', `${path}: no such account`);
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const signature = Buffer.from(jws.signature, 'base64url');
    const signed = Buffer.from(`${jws.protected}.${jws.payload}`);
    if (head.alg !== 'ES256' || !verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature))
      throw wrong('malformed', `${path}: the signature does not fit`);
    return {
      payload: jws.payload === '' ? null : (decoded(jws.payload) as Signed['payload']),
      jwk,
      thumbprint: thumbprintOf(jwk),
    };
  }

  #handle(path: string, { payload, jwk, thumbprint }: Signed): Reply {
    const [what = '', nth = '', place = '0', type = ''] = path.split('/');
    if (what === 'new-account') return this.#newAccount(payload, jwk, thumbprint);
    if (what === 'account') return updated(payload);
    if (what === 'new-order') return this.#newOrder(payload);
    const order = this.orders[Number(nth)];
    const authorization = order?.authorizations[Number(place)];
    if (order === undefined || authorization === undefined) throw wrong('malformed', `there is no ${path}`);
    if (what === 'finalize') {
      this.#finalize(order, payload);
      return { status: 200, body: this.#shown(order), headers: { Location: this.#url(`order/${nth}`) } };
    }
    if (what === 'challenge') {
      if (payload !== null) void this.#look(authorization, type, thumbprint);
      return { status: 200, body: this.#shownChallenge(authorization, type, `${nth}/${place}`) };
    }
    // POST-as-GET has no payload (RFC 8555, section 6.3).
    if (payload !== null) throw wrong('malformed', `${path} is read without a payload`);
    if (what === 'order') return { status: 200, body: this.#shown(order) };
    if (what === 'certificate') return { status: 200, body: order.certificate ?? '' };
    return { status: 200, body: this.#shownAuthorization(authorization, `${nth}/${place}`) };
  }

  #newAccount(payload: Signed['payload'], jwk: JsonWebKey, thumbprint: string): Reply {
    const url = this.#url(`account/${thumbprint}`);
    const status = this.#accounts.has(url) ? 200 : 201;
    if (payload?.termsOfServiceAgreed !== true) throw wrong('userActionRequired', 'the terms are not agreed to');
    if (status === 201) this.contacts.push(payload.contact);
    this.#accounts.set(url, jwk);
    return { status, body: { status: 'valid' }, headers: { Location: url } };
  }

  #newOrder(payload: Signed['payload']): Reply {
    if (this.refusal !== null) throw new Refused(this.refusal, false);
    const { identifiers, replaces = null } = payload as {
      identifiers: { type: string; value: string }[];
      replaces?: string;
    };
    const isReplaced = replaces !== null && this.orders.some((order) => order.replaces === replaces);
    if (isReplaced) throw new Refused({ status: 409, type: 'alreadyReplaced', detail: 'it was replaced' }, false);
    const domains = identifiers.map(({ value }) => value);
    const authorizations = domains.map((domain): Authorization => {
      return { domain, token: randomBytes(16).toString('base64url'), status: 'pending', error: null };
    });
    const order: Order = { domains, replaces, authorizations, certificate: null };
    this.orders.push(order);
    return {
      status: 201,
      body: this.#shown(order),
      headers: { Location: this.#url(`order/${this.orders.length - 1}`) },
    };
  }

  #finalize(order: Order, payload: Signed['payload']): void {
    if (order.certificate !== null || statusOf(order) !== 'ready')
      throw wrong('orderNotReady', 'the order is not ready');
    const request = readRequest(Buffer.from(String(payload?.csr), 'base64url'));
    if (request === null) throw wrong('badCSR', 'the request is not signed by its key');
    if ([...request.domains].sort().join() !== [...order.domains].sort().join())
      throw wrong('badCSR', `the request is for ${request.domains}, the order for ${order.domains}`);
    const fromMs = Date.now() - 3_600_000;
    order.certificate = issue(this.authority, { ...request, fromMs, toMs: fromMs + this.lifeMs });
  }

  async #look(authorization: Authorization, type: string, thumbprint: string): Promise<void> {
    if (authorization.status !== 'pending') return;
    const expected = `${authorization.token}.${thumbprint}`;
    const error =
      this.finding ??
      (type === 'tls-alpn-01'
        ? await this.#lookByTls(authorization, expected)
        : await this.#lookByHttp(authorization, expected));
    authorization.error = error;
    authorization.status = error === null ? 'valid' : 'invalid';
  }

  async #lookByTls({ domain }: Authorization, expected: string): Promise<Refusal | null> {
    const socket = connect({
      host: '127.0.0.1',
      port: await this.port,
      servername: domain,
      ALPNProtocols: ['acme-tls/1'],
      rejectUnauthorized: false,
    });
    try {
      await once(socket, 'secureConnect');
      const certificate = socket.getPeerX509Certificate();
      const hash = createHash('sha256').update(expected).digest();
      if (
        socket.alpnProtocol !== 'acme-tls/1' ||
        certificate?.subjectAltName !== `DNS:${domain}` ||
        !certificate.raw.includes(Buffer.concat([PROOF, hash]))
      )
        return { status: 403, type: 'unauthorized', detail: `${domain}: not the certificate that proves it` };
      return null;
    } catch (error) {
      return { status: 400, type: 'connection', detail: `127.0.0.1: Fetching ${domain}: ${(error as Error).message}` };
    } finally {
      socket.destroy();
    }
  }

  async #lookByHttp({ domain, token }: Authorization, expected: string): Promise<Refusal | null> {
    const url = `http://127.0.0.1:${await this.port}/.well-known/acme-challenge/${token}`;
    const content = await fetch(url).then(
      (answer) => answer.text(),
      () => null,
    );
    return content === expected ? null : { status: 403, type: 'unauthorized', detail: `${domain}: not what proves it` };
  }

  #shown(order: Order): object {
    const nth = this.orders.indexOf(order);
    return {
      status: statusOf(order),
      identifiers: order.domains.map((value) => ({ type: 'dns', value })),
      authorizations: order.authorizations.map((_, place) => this.#url(`authorization/${nth}/${place}`)),
      finalize: this.#url(`finalize/${nth}`),
      ...(order.certificate !== null && { certificate: this.#url(`certificate/${nth}`) }),
    };
  }

  #shownAuthorization(authorization: Authorization, place: string): object {
    return {
      status: authorization.status,
      identifier: { type: 'dns', value: authorization.domain },
      challenges: this.challenges.map((type) => this.#shownChallenge(authorization, type, place)),
    };
  }

  #shownChallenge({ token, status, error }: Authorization, type: string, place: string): object {
    const url = this.#url(`challenge/${place}/${type}`);
    return { type, token, status, url, ...(error && { error: problem(error) }) };
  }
}

interface Reply {
  readonly status: number;
  readonly body: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `isWrong`: a mistake of the client's. */
class Refused extends Error {
  readonly refusal: Refusal;
  readonly isWrong: boolean;
  constructor(refusal: Refusal, isWrong: boolean) {
    super(refusal.detail);
    this.refusal = refusal;
    this.isWrong = isWrong;
  }
}

function wrong(type: string, detail: string): Refused {
  return new Refused({ status: 400, type, detail }, true);
}

function problem({ status, type, detail }: Refusal): object {
  return { type: `urn:ietf:params:acme:error:${type}`, detail, status };
}

function statusOf({ authorizations, certificate }: Order): string {
  if (certificate !== null) return 'valid';
  if (authorizations.some(({ status }) => status === 'invalid')) return 'invalid';
  return authorizations.every(({ status }) => status === 'valid') ? 'ready' : 'pending';
}

function decoded(text: string): unknown {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
}

/** Answers like Pebble. */
function updated(payload: Signed['payload']): Reply {
  if (payload !== null && payload.contact === undefined) {
    throw new Refused({ status: 400, type: 'malformed', detail: 'Use POST-as-GET instead of an empty update' }, false);
  }
  return { status: 200, body: { status: 'valid' } };
}

/** RFC 7638. */
function thumbprintOf({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
