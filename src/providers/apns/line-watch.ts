import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { type Clock, type Moment, momentOf } from '../../process/clock.ts';

/** A network forgets a line on which nothing passes. */
const IDLE_MS = 60_000;
/** So long a push may wait while its connection says nothing. Apple answers in a tenth of a second. */
const SILENT_MS = 5_000;
const PONG_MS = 2_000;

/** `onSilent`: the connection is to take no more. `onAlive`: what was sent over it may be answered still. */
interface Found {
  readonly onSilent: () => void;
  readonly onAlive: () => void;
}

/**
 * Notices a connection that the network forgot: TCP itself does so after a quarter of an hour.
 * - After a minute without a push, `isProven` is false until a PING was answered.
 * - If a push waits and nothing comes for five seconds, the connection takes no more; without an answer to a PING what
 *   was sent over it ends as lost.
 */
export class LineWatch {
  /** When anything came last, by `performance.now()`. */
  heardMs = 0;
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #found: Found;
  /** When the requests that wait for an answer were made, the oldest first. */
  readonly #waiting = new Map<ClientHttp2Stream, number>();
  #usedAt: Moment;
  #timer: NodeJS.Timeout | null = null;
  #proving: Promise<boolean> | null = null;

  constructor(session: ClientHttp2Session, clock: Clock, found: Found) {
    this.#session = session;
    this.#clock = clock;
    this.#found = found;
    this.#usedAt = momentOf(clock);
    session.once('connect', () => {
      this.#usedAt = momentOf(clock);
    });
    session.once('close', () => this.#stop());
  }

  /** A request was made. */
  opened(stream: ClientHttp2Stream): void {
    this.#usedAt = momentOf(this.#clock);
    this.#waiting.set(stream, performance.now());
    this.#timer ??= setTimeout(() => this.#look(), SILENT_MS);
    const heard = () => {
      this.heardMs = performance.now();
      this.#waiting.delete(stream);
    };
    stream.once('response', heard);
    stream.once('close', () => this.#waiting.delete(stream));
  }

  /** A machine that sleeps loses its connections, and its steady clock does not see the time. */
  get isProven(): boolean {
    const { wallMs, steadyMs } = this.#usedAt;
    const now = momentOf(this.#clock);
    return now.steadyMs - steadyMs < IDLE_MS && Math.abs(now.wallMs - wallMs) < IDLE_MS;
  }

  /** Asks the peer for a sign of life. If there is none, the connection is cut. */
  prove(): Promise<boolean> {
    this.#proving ??= this.#ping().then((isAlive) => {
      this.#proving = null;
      if (isAlive) this.#usedAt = momentOf(this.#clock);
      else this.#session.destroy();
      return isAlive;
    });
    return this.#proving;
  }

  #look(): void {
    this.#timer = null;
    const [oldestMs] = this.#waiting.values();
    if (oldestMs === undefined) return;
    const leftMs = Math.max(oldestMs, this.heardMs) + SILENT_MS - performance.now();
    if (leftMs > 0) {
      this.#timer = setTimeout(() => this.#look(), leftMs);
      return;
    }
    this.#found.onSilent();
    void this.prove().then((isAlive) => {
      if (isAlive) this.#found.onAlive();
    });
  }

  #ping(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PONG_MS, false);
      const answered = (error: Error | null) => {
        clearTimeout(timer);
        if (error === null) this.heardMs = performance.now();
        resolve(error === null);
      };
      if (this.#session.destroyed || !this.#session.ping(answered)) answered(new Error('no PING'));
    });
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting.clear();
  }
}
