import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';

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
    let isWritten = false;
    const written = () => {
      if (!isWritten) this.#unwrittenBytes -= bytes;
      isWritten = true;
    };
    stream.once('finish', written);
    stream.once('close', () => {
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
    const { remoteWindowSize = 0 } = this.#session.state;
    return remoteWindowSize - this.#unwrittenBytes >= bytes;
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
