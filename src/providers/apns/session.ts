import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import apn from '@parse/node-apn';
import { boundStream, nameCertificate } from '../../process/bounded-request.ts';
import type { Clock } from '../../process/clock.ts';
import { USER_AGENT } from '../../process/package.ts';
import { NotConnected } from '../https.ts';
import { MAX_ANSWER_BYTES } from '../provider.ts';
import { withDeadline } from '../sending.ts';
import { LIFETIMES } from '../signing/signer.ts';
import type { ApnsSettings } from './credentials.ts';
import { LineWatch, StreamGate } from './line.ts';

/**
 * Private parts of @parse/node-apn, in a pinned version; tests check them.
 * - Requests for one device save repeated work (5 to 10 % of a thread's CPU).
 * - The library never gives up silent sessions, and takes answers of any length.
 * - It signs a token per connection, and again after each 403.
 */
interface Internals {
  readonly client: {
    readonly session?: ClientHttp2Session;
    /** Begins to open a session. */
    connect: () => Promise<void>;
    /** Called for GOAWAYs, among others. */
    closeAndDestroySession: (session?: ClientHttp2Session) => Promise<void>;
    /** Rejects with a `Failure`. Its caller `write` would retry. */
    request(...args: [ClientHttp2Session, address: string, WireRequest, path: string, 'POST']): Promise<ApnsFailure>;
    readonly config: { readonly address: string; token: SignedToken };
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
  readonly topic: string;
}

/** Made once for an event's devices. */
export interface WireRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
  /** Length of the body. */
  readonly bytes: number;
}

interface Compilable {
  headers(): WireRequest['headers'];
  compile(): string;
}

/** node-apn's real failures, beyond its types. Neither status nor error: success. */
export interface ApnsFailure {
  readonly status?: unknown;
  readonly response?: { readonly reason?: unknown; readonly timestamp?: unknown };
  readonly error?: unknown;
}

export function wireRequestOf(notification: apn.Notification): WireRequest {
  const compilable = notification as unknown as Compilable;
  const body = compilable.compile();
  return { headers: { ...compilable.headers(), 'user-agent': USER_AGENT }, body, bytes: Buffer.byteLength(body) };
}

/** `ended`: unsent, as the connection had ended. `kept`: unsent for another reason. `late`: sent, unanswered. */
type Unanswered = 'ended' | 'kept' | 'late';

/** The time that the end of a connection may take. */
const GOODBYE_MS = 500;

/** Keeps a provider's one HTTP/2 connection. Its first send opens it, and so does the first send after its end. */
export class ApnsSession {
  readonly #provider: apn.Provider;
  /** Exported for the test of the pinned version. */
  readonly internals: Internals['client'];
  readonly #gates = new WeakMap<ClientHttp2Session, StreamGate>();
  readonly #watches = new WeakMap<ClientHttp2Session, LineWatch>();
  /** Silent connections, unused until more is known. */
  readonly #asides = new WeakSet<ClientHttp2Session>();
  /** The signed token of each connection. */
  readonly #used = new WeakMap<ClientHttp2Session, { readonly signedToken: string; readonly sinceMs: number }>();
  readonly #host: string;
  readonly #clock: Clock;
  #opening: Promise<NotConnected | null> | null = null;
  /** The size of the current request's body. */
  #bytes = 0;
  readonly #token: SignedToken = { generation: 0, current: '', regenerate: () => {}, isExpired: () => false };
  #newest: ClientHttp2Stream | undefined;

  constructor(settings: ApnsSettings, endpoint: string, clock: Clock) {
    const { host, hostname, port } = new URL(endpoint);
    this.#host = host;
    this.#clock = clock;
    this.#provider = new apn.Provider({
      token: { key: settings.key, keyId: settings.keyId, teamId: settings.teamId },
      // NODE_ENV is the default, and would make production tokens bad.
      production: endpoint === settings.endpointProduction,
      address: hostname,
      port: Number(port || 443),
      ...(settings.ca !== undefined && { ca: [settings.ca] }),
      // Its limit restarts with every byte of an answer, and costs a timer a push.
      requestTimeout: 0,
    });
    this.internals = (this.#provider as unknown as Internals).client;
    this.internals.config.token = this.#token;
    // Otherwise node-apn would cut off pushes in flight if the peer answers our GOAWAY with its own, or sends a second
    // one.
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

  /** Sends once the connection takes it, unless `canBeSent` refuses then. */
  send(
    { request, device }: Push,
    signedToken: string,
    canBeSent: () => boolean,
    withinMs: number,
  ): Promise<ApnsFailure | Unanswered | null> {
    const session = this.current();
    const gate = session && this.#gates.get(session);
    if (!gate) return Promise.resolve('ended');
    return new Promise((resolve) => {
      let stream: ClientHttp2Stream | undefined;
      let isOver = false;
      const end = (result: ApnsFailure | Unanswered | null) => {
        isOver = true;
        clearTimeout(timer);
        resolve(result);
      };
      const timer = setTimeout(() => {
        end(stream ? 'late' : 'kept');
        stream?.close(constants.NGHTTP2_CANCEL);
      }, withinMs);
      const start = () => {
        if (isOver || !canBeSent()) return end('kept');
        // Another connection, not yet established, follows one that takes nothing new.
        if (this.current() !== session) return end('ended');
        this.#bytes = request.bytes;
        this.#token.current = signedToken;
        this.#note(session, signedToken);
        const { address } = this.internals.config;
        this.internals.request(session, address, request, `/3/device/${device}`, 'POST').then(answered, end);
        stream = this.#newest;
      };
      const answered = (answer: ApnsFailure) => end(answer.status || answer.error ? answer : null);
      gate.enter(request.bytes, start, () => end('ended'));
    });
  }

  #note(session: ClientHttp2Session, signedToken: string): void {
    if (this.#used.get(session)?.signedToken === signedToken) return;
    this.#used.set(session, { signedToken, sinceMs: this.#clock.steadyMs() });
  }

  /** Returns the next send's connection, if open. */
  current(): ClientHttp2Session | null {
    const session = this.internals.session;
    const isOver = session === undefined || session.closed || session.destroyed || this.#asides.has(session);
    return isOver ? null : session;
  }

  /** Tells whether pushes are written at once. */
  isConnected(): boolean {
    return this.current()?.connecting === false;
  }

  /** Tells whether it is also alive and takes the token. */
  isReady(signedToken: string): boolean {
    const session = this.current();
    if (session?.connecting !== false || !this.#canTake(session, signedToken)) return false;
    return this.#watches.get(session)?.isProven === true;
  }

  /** Apple refuses tokens that change too soon on a connection. */
  #canTake(session: ClientHttp2Session, signedToken: string): boolean {
    const used = this.#used.get(session);
    if (used === undefined || used.signedToken === signedToken) return true;
    return this.#clock.steadyMs() - used.sinceMs >= LIFETIMES.apns.leastMs;
  }

  /** Opens a connection unless one is alive. Resolves with null or the failure, or never. */
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

  hasHeard(session: ClientHttp2Session, sinceMs: number): boolean {
    return (this.#watches.get(session)?.heardMs ?? 0) >= sinceMs;
  }

  #setAside(session: ClientHttp2Session): void {
    this.#asides.add(session);
    this.#gates.get(session)?.end();
  }

  /** Finishes pushes in flight; the next send opens another connection. */
  retire(session: ClientHttp2Session): void {
    if (!session.closed && !session.destroyed) session.close();
    this.#gates.get(session)?.end();
  }

  /** Cuts the connection; pushes in flight are lost. */
  drop(): void {
    this.internals.session?.destroy();
  }

  /** Takes leave of Apple (GOAWAY), which must not take the end for a fault. */
  async close(): Promise<void> {
    const { session } = this.internals;
    if (session && this.isConnected()) {
      const closed = new Promise<void>((resolve) => session.once('close', resolve));
      session.close();
      await withDeadline(closed, GOODBYE_MS, () => {});
    }
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
