import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { type Clock, type Moment, momentOf } from '../../process/clock.ts';

/** Networks forget idle lines. */
const IDLE_MS = 60_000;
/** Longest silence while a push waits; Apple answers in 0.1 s. */
const SILENT_MS = 5_000;
const PONG_MS = 2_000;

/** `onSilent`: stop using the connection. `onAlive`: earlier pushes may still be answered. */
interface Found {
  readonly onSilent: () => void;
  readonly onAlive: () => void;
}

/**
 * Notices connections forgotten by the network; TCP takes 15 minutes.
 * - After a minute without a push, `isProven` is false until a PING is answered.
 * - After five silent seconds with a waiting push, the connection is unused. Unless a PING is answered, its pushes are
 * lost.
 */
export class LineWatch {
  /** Last traffic, by `performance.now()`. */
  heardMs = 0;
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #found: Found;
  /** Start times of unanswered requests, oldest first. */
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

  opened(stream: ClientHttp2Stream): void {
    this.#usedAt = momentOf(this.#clock);
    this.#waiting.set(stream, performance.now());
    this.#timer ??= setTimeout(() => this.#look(), SILENT_MS);
    const heard = () => {
      this.heardMs = performance.now();
      this.#waiting.delete(stream);
    };
    // Not `once`, which makes a wrapper for each; they come once anyway.
    stream.on('response', heard);
    stream.on('close', () => this.#waiting.delete(stream));
  }

  /** Checks the wall clock too: sleep loses connections, unnoticed by the steady clock. */
  get isProven(): boolean {
    const { wallMs, steadyMs } = this.#usedAt;
    const now = momentOf(this.#clock);
    return now.steadyMs - steadyMs < IDLE_MS && Math.abs(now.wallMs - wallMs) < IDLE_MS;
  }

  /** Sends a PING, and cuts the connection if unanswered. */
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

/** A used-up window opens without an event. */
const LOOK_AGAIN_MS = 5;

type Start = () => void;

/**
 * Limits requests on an HTTP/2 connection to the peer's current streams and bytes. The library would queue more, and
 * write them even if revoked.
 */
export class StreamGate {
  readonly #session: ClientHttp2Session;
  readonly #waiting: { readonly bytes: number; readonly start: Start; readonly onEnd: Start }[] = [];
  /** Until the peer has sent its settings: one. */
  #mostStreams = 1;
  #open = 0;
  #unwrittenBytes = 0;
  /** Bytes surely left of the peer's window, which only grows meanwhile: to ask costs an object each time. */
  #roomBytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(session: ClientHttp2Session) {
    this.#session = session;
    session.on('remoteSettings', ({ maxConcurrentStreams = Number.POSITIVE_INFINITY }) => {
      this.#mostStreams = maxConcurrentStreams;
      this.#letIn();
    });
    session.once('close', () => this.end());
  }

  /**
   * Calls `start` once its request (of these bytes, at once or never) is written immediately; `onEnd` if the connection
   * ends first.
   */
  enter(bytes: number, start: Start, onEnd: Start): void {
    this.#waiting.push({ bytes, start, onEnd });
    if (this.#isOver) this.end();
    else this.#letIn();
  }

  opened(stream: ClientHttp2Stream, bytes: number): void {
    this.#open += 1;
    this.#unwrittenBytes += bytes;
    this.#roomBytes -= bytes;
    let isWritten = false;
    const written = () => {
      if (!isWritten) this.#unwrittenBytes -= bytes;
      isWritten = true;
    };
    stream.on('finish', written);
    stream.on('close', () => {
      written();
      this.#open -= 1;
      this.#letIn();
    });
  }

  /** Lets nothing more in. */
  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#mostStreams = 0;
    for (const { onEnd } of this.#waiting.splice(0)) onEnd();
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#open >= this.#mostStreams) return;
      if (!this.#hasRoomFor(next.bytes)) {
        this.#lookAgain();
        return;
      }
      this.#waiting.shift();
      next.start();
    }
  }

  #hasRoomFor(bytes: number): boolean {
    if (this.#isOver) return false;
    if (this.#roomBytes < bytes) this.#roomBytes = (this.#session.state.remoteWindowSize ?? 0) - this.#unwrittenBytes;
    return this.#roomBytes >= bytes;
  }

  get #isOver(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  #lookAgain(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#letIn();
    }, LOOK_AGAIN_MS);
  }
}
