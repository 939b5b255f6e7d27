import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import apn from '@parse/node-apn';
import { boundStream } from '../../process/bounded-request.ts';
import type { Clock } from '../../process/clock.ts';
import { USER_AGENT } from '../../process/package.ts';
import { nameCertificate } from '../../process/peer-certificate.ts';
import { MAX_ANSWER_BYTES } from '../client.ts';
import { NotConnected } from '../not-connected.ts';
import { LIFETIMES } from '../signing/signer.ts';
import type { ApnsSettings } from './credentials.ts';
import { LineWatch } from './line-watch.ts';
import { StreamGate } from './stream-gate.ts';

/**
 * Internals of @parse/node-apn without a public API. Its version is pinned, and tests check that they still exist: the
 * request for one device, without the work that is the same for all of an event's (5 to 10 % of a delivery thread's
 * CPU); the session, which it never gives up by itself when the peer falls silent, and whose answers it takes at any
 * length; and the signed token, of which it would make one for each connection, and a new one for each 403.
 */
interface Internals {
  readonly client: {
    readonly session?: ClientHttp2Session;
    /** Begins to open a session. */
    connect: () => Promise<void>;
    /** Called for each GOAWAY of the peer, among others. */
    closeAndDestroySession: (session?: ClientHttp2Session) => Promise<void>;
    /** Rejects with a `Failure`. */
    write(request: WireRequest, token: string, type: 'device', method: 'post'): Promise<ApnsFailure>;
    readonly config: { token: SignedToken };
  };
}

/** The library asks for it before each request. */
interface SignedToken {
  readonly generation: number;
  current: string;
  regenerate(generation: number): void;
  isExpired(ageS: number): boolean;
}

/** `device`: its token. */
export interface Push {
  readonly request: WireRequest;
  readonly device: string;
  readonly signedToken: string;
}

/** The same for all devices of an event: it is made once. */
export interface WireRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

interface Compilable {
  headers(): WireRequest['headers'];
  compile(): string;
}

/** How node-apn really reports a failure; its types know less. With neither status nor error it is none. */
export interface ApnsFailure {
  readonly status?: unknown;
  readonly response?: { readonly reason?: unknown; readonly timestamp?: unknown };
  readonly error?: unknown;
}

export function wireRequestOf(notification: apn.Notification): WireRequest {
  const compilable = notification as unknown as Compilable;
  return { headers: { ...compilable.headers(), 'user-agent': USER_AGENT }, body: compilable.compile() };
}

/** The one HTTP/2 connection of a provider, opened by its first send and again by the first after its end. */
export class ApnsSession {
  readonly #provider: apn.Provider;
  /** Exported for the test that compares them with the pinned version. */
  readonly internals: Internals['client'];
  readonly #gates = new WeakMap<ClientHttp2Session, StreamGate>();
  readonly #watches = new WeakMap<ClientHttp2Session, LineWatch>();
  /** Those that say nothing: they take no more, and nothing is known of them yet. */
  readonly #asides = new WeakSet<ClientHttp2Session>();
  /** The signed token of each connection. */
  readonly #used = new WeakMap<ClientHttp2Session, { readonly signedToken: string; readonly sinceMs: number }>();
  readonly #host: string;
  readonly #clock: Clock;
  #opening: Promise<NotConnected | null> | null = null;
  /** The size of the current request's body. */
  #bytes = 0;
  /** The signed token of that request. */
  readonly #token: SignedToken = { generation: 0, current: '', regenerate: () => {}, isExpired: () => false };
  #newest: ClientHttp2Stream | undefined;

  constructor(settings: ApnsSettings, endpoint: string, requestTimeoutMs: number, clock: Clock) {
    const { host, hostname, port } = new URL(endpoint);
    this.#host = host;
    this.#clock = clock;
    this.#provider = new apn.Provider({
      token: { key: settings.key, keyId: settings.keyId, teamId: settings.teamId },
      // Left out, it would depend on NODE_ENV, and each production token would be bad.
      production: endpoint === settings.endpointProduction,
      address: hostname,
      port: Number(port || 443),
      ...(settings.ca !== undefined && { ca: [settings.ca] }),
      // Its own retries come at once, and ask for a dead token again.
      connectionRetryLimit: 0,
      requestTimeout: requestTimeoutMs,
    });
    this.internals = (this.#provider as unknown as Internals).client;
    this.internals.config.token = this.#token;
    // node-apn would cut off what is in flight if the peer answers our GOAWAY with its own, or sends a second one.
    this.internals.closeAndDestroySession = async (session) => session?.close();
    onEachSession(this.internals, (session) => {
      if (session.connecting) nameCertificate(session.socket);
      const gate = new StreamGate(session);
      const watch = new LineWatch(session, clock, {
        onSilent: () => this.#setAside(session),
        onAlive: () => this.retire(session),
      });
      this.#gates.set(session, gate);
      this.#watches.set(session, watch);
      onEachRequest(session, (stream) => {
        boundStream(stream, { mostBytes: MAX_ANSWER_BYTES });
        gate.opened(stream, this.#bytes);
        watch.opened(stream);
        this.#newest = stream;
      });
    });
  }

  /**
   * Sends as soon as the connection takes it. Resolves with null where Apple took the push; 'ended' and 'kept': it was
   * not sent, as the connection has ended before, or since `mayGo` said no at that moment. `onSent` gets how to end it.
   */
  send(
    { request, device, signedToken }: Push,
    { mayGo, onSent }: { readonly mayGo: () => boolean; readonly onSent: (end: () => void) => void },
  ): Promise<ApnsFailure | null | 'ended' | 'kept'> {
    const session = this.current();
    const gate = session && this.#gates.get(session);
    if (!gate) return Promise.resolve('ended');
    const bytes = Buffer.byteLength(request.body);
    return new Promise((resolve) => {
      const start = () => {
        if (!mayGo()) return resolve('kept');
        // A connection that takes nothing new would be followed by another, which does not stand yet.
        if (this.current() !== session) return resolve('ended');
        this.#bytes = bytes;
        this.#token.current = signedToken;
        this.#note(session, signedToken);
        resolve(this.#write(request, device));
        const stream = this.#newest;
        onSent(() => stream?.close(constants.NGHTTP2_CANCEL));
      };
      gate.enter(bytes, start, () => resolve('ended'));
    });
  }

  #note(session: ClientHttp2Session, signedToken: string): void {
    if (this.#used.get(session)?.signedToken === signedToken) return;
    this.#used.set(session, { signedToken, sinceMs: this.#clock.steadyMs() });
  }

  async #write(request: WireRequest, device: string): Promise<ApnsFailure | null> {
    try {
      const answer = await this.internals.write(request, device, 'device', 'post');
      return answer.status || answer.error ? answer : null;
    } catch (failure) {
      return failure as ApnsFailure;
    }
  }

  /** The connection that the next send will use, if there is one already. */
  current(): ClientHttp2Session | null {
    const session = this.internals.session;
    const isOver = session === undefined || session.closed || session.destroyed || this.#asides.has(session);
    return isOver ? null : session;
  }

  /** Whether a connection is established: a push that is sent now is written now. */
  isConnected(): boolean {
    return this.current()?.connecting === false;
  }

  /** Whether it is known to be alive as well, and takes that signed token. */
  isReady(signedToken: string): boolean {
    const session = this.current();
    if (session?.connecting !== false || !this.#canTake(session, signedToken)) return false;
    return this.#watches.get(session)?.isProven === true;
  }

  /** Apple refuses a token that follows another one too soon on the same connection. */
  #canTake(session: ClientHttp2Session, signedToken: string): boolean {
    const used = this.#used.get(session);
    if (used === undefined || used.signedToken === signedToken) return true;
    return this.#clock.steadyMs() - used.sinceMs >= LIFETIMES.apns.leastMs;
  }

  /** Opens the connection if there is none, or none that is alive. Resolves with null once it stands, or with why it does not; it may never. */
  connect(signedToken: string): Promise<NotConnected | null> {
    this.#opening ??= this.#open(signedToken).finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(signedToken: string): Promise<NotConnected | null> {
    let cause: unknown = null;
    try {
      const known = this.current();
      if (known && !this.#canTake(known, signedToken)) this.retire(known);
      else if (known?.connecting === false && !this.isReady(signedToken)) await this.#watches.get(known)?.prove();
      if (this.current() === null) await this.internals.connect();
      const session = this.current();
      if (session?.connecting) {
        await new Promise<void>((resolve) => {
          const fail = (error: unknown) => {
            cause = error;
          };
          session
            .once('error', fail)
            .once('connect', () => resolve())
            .once('close', resolve);
        });
      }
    } catch (error) {
      cause = error;
    }
    return this.isConnected() ? null : this.notConnected(cause);
  }

  notConnected(cause: unknown): NotConnected {
    return new NotConnected(this.#host, cause);
  }

  /** Whether anything came over that connection since then. */
  hasHeard(session: ClientHttp2Session, sinceMs: number): boolean {
    return (this.#watches.get(session)?.heardMs ?? 0) >= sinceMs;
  }

  #setAside(session: ClientHttp2Session): void {
    this.#asides.add(session);
    this.#gates.get(session)?.end();
  }

  /** Lets what is in flight on that connection end, but nothing new begin: the next send opens a fresh one. */
  retire(session: ClientHttp2Session): void {
    if (!session.closed && !session.destroyed) session.close();
    this.#gates.get(session)?.end();
  }

  /** Cuts the connection: what is in flight ends as lost. */
  drop(): void {
    this.internals.session?.destroy();
  }

  close(): void {
    this.drop();
    this.#provider.shutdown();
  }
}

/** `listener` sees each session before its first request. */
function onEachSession(client: Internals['client'], listener: (session: ClientHttp2Session) => void): void {
  const connect = client.connect;
  const seen = new WeakSet<ClientHttp2Session>();
  client.connect = async () => {
    await connect.call(client);
    const { session } = client;
    if (session === undefined || seen.has(session)) return;
    seen.add(session);
    listener(session);
  };
}

function onEachRequest(session: ClientHttp2Session, listener: (stream: ClientHttp2Stream) => void): void {
  const request = session.request;
  session.request = (...args) => {
    const stream = request.apply(session, args);
    listener(stream);
    return stream;
  };
}
