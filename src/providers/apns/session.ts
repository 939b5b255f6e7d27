import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import apn from '@parse/node-apn';
import type { Clock } from '../../process/clock.ts';
import { USER_AGENT } from '../../process/package.ts';
import { MAX_ANSWER_BYTES, TOO_LONG } from '../client.ts';
import type { ApnsSettings } from './credentials.ts';
import { StreamGate } from './stream-gate.ts';

/**
 * Internals of @parse/node-apn without a public API. Its version is pinned, and tests check that they still exist: the
 * request for one device, without the work that is the same for all of an event's (5 to 10 % of a delivery thread's
 * CPU); the session, which it never gives up by itself when the peer falls silent, and whose answers it takes at any
 * length; and the maker of signed tokens, which would make a new one for each 403 although Apple allows one in 20
 * minutes.
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
    readonly config: { readonly token: SignedToken };
  };
}

interface SignedToken {
  readonly generation: number;
  regenerate(generation: number): void;
  /** Whether it was signed so many seconds ago, or longer. Asked before each request. */
  isExpired(ageS: number): boolean;
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

const MIN_TOKEN_AGE_MS = 20 * 60_000;
/** A token from further ahead was signed while the clock was wrong. */
const CLOCK_TOLERANCE_S = 60;

/** The one HTTP/2 connection of a provider, opened by its first send and again by the first after its end. */
export class ApnsSession {
  readonly #provider: apn.Provider;
  /** For the test that compares them with the pinned version. */
  readonly internals: Internals['client'];
  readonly #gates = new WeakMap<ClientHttp2Session, StreamGate>();
  /** Of the body of the request that is just being made. */
  #bytes = 0;

  constructor(settings: ApnsSettings, endpoint: string, requestTimeoutMs: number, clock: Clock) {
    const { hostname, port } = new URL(endpoint);
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
    guardMinting(this.internals.config.token, clock);
    // node-apn would cut off what is in flight if the peer answers our GOAWAY with its own, or sends a second one.
    this.internals.closeAndDestroySession = async (session) => session?.close();
    onEachSession(this.internals, (session) => {
      const gate = new StreamGate(session);
      this.#gates.set(session, gate);
      onEachRequest(session, (stream) => {
        boundAnswer(stream);
        gate.opened(stream, this.#bytes);
      });
    });
  }

  /**
   * Sends as soon as the connection takes it. Resolves with null where Apple took the push; 'ended' and 'kept': it was
   * not sent, as the connection has ended before, or since `mayGo` said no at that moment.
   */
  send(request: WireRequest, token: string, mayGo: () => boolean): Promise<ApnsFailure | null | 'ended' | 'kept'> {
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
        resolve(this.#write(request, token));
      };
      gate.enter(bytes, start, () => resolve('ended'));
    });
  }

  async #write(request: WireRequest, token: string): Promise<ApnsFailure | null> {
    try {
      const answer = await this.internals.write(request, token, 'device', 'post');
      return answer.status || answer.error ? answer : null;
    } catch (failure) {
      return failure as ApnsFailure;
    }
  }

  /** The connection that the next send will use, if there is one already. */
  current(): ClientHttp2Session | null {
    const session = this.internals.session;
    return session === undefined || session.closed || session.destroyed ? null : session;
  }

  /** Whether a connection is established: a push that is sent now is written now. */
  isConnected(): boolean {
    return this.current()?.connecting === false;
  }

  /** Opens the connection where there is none. Returns whether it stands, once that is certain; it may never be. */
  async connect(): Promise<boolean> {
    try {
      if (this.current() === null) await this.internals.connect();
    } catch {
      return false;
    }
    const session = this.current();
    if (session?.connecting) {
      await new Promise<void>((resolve) => session.once('connect', () => resolve()).once('close', resolve));
    }
    return this.isConnected();
  }

  /** Cuts the connection: what is in flight ends as lost. */
  drop(): void {
    this.internals.session?.destroy();
  }

  /** Lets what is in flight end, but takes nothing new: the next send opens a fresh connection. */
  retire(): void {
    this.current()?.close();
  }

  close(): void {
    this.drop();
    this.#provider.shutdown();
  }
}

/**
 * Keeps a signed token for 20 minutes at least, whatever Apple says about it. By itself it is renewed after 55, by the
 * wall clock: one that was signed while that was ahead would be refused until its time has come, and 55 minutes more.
 */
function guardMinting(token: SignedToken, clock: Clock): void {
  const { regenerate, isExpired } = token;
  token.isExpired = (ageS) => isExpired.call(token, ageS) || !isExpired.call(token, -CLOCK_TOLERANCE_S);
  let mintedAtMs = clock.steadyMs();
  token.regenerate = (generation) => {
    if (clock.steadyMs() - mintedAtMs < MIN_TOKEN_AGE_MS) return;
    regenerate.call(token, generation);
    mintedAtMs = clock.steadyMs();
  };
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

/** node-apn would keep an answer of any length. */
function boundAnswer(stream: ClientHttp2Stream): void {
  let size = 0;
  stream.on('data', (chunk: Buffer | string) => {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) stream.destroy(new Error(TOO_LONG));
  });
}
