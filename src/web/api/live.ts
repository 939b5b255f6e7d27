import { session } from '../session.ts';
import { changes, type Kind } from './changes.ts';
import { connection } from './connection.ts';

/** After an answer that ends the stream for good: too many of them, or a proxy without the server behind it. */
const TRY_AGAIN_MS = 20_000;

/**
 * Hears from the server what has changed, while a user is signed in and looks: a browser has six connections for a
 * server, and a hidden tab is not to keep one of them. Who comes back is told to load everything.
 */
class Live {
  #stream: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  start(): void {
    const update = (): void => (this.#isWanted() ? this.#open() : this.#close());
    document.addEventListener('visibilitychange', update);
    session.state.listen(update);
    connection.restored.listen(update);
    update();
  }

  #isWanted(): boolean {
    return !document.hidden && session.state.value.kind === 'in';
  }

  #open(): void {
    if (this.#stream !== null) return;
    clearTimeout(this.#timer);
    const stream = new EventSource('/api/v1/stream');
    stream.addEventListener('change', ({ data }) => {
      const { kind } = JSON.parse(data) as { readonly kind: Kind };
      if (kind === 'session' || kind === 'everything') void session.check();
      changes.tell(kind);
    });
    stream.addEventListener('error', () => this.#failed(stream));
    this.#stream = stream;
  }

  /** The browser tries again by itself where none answered; where it does not, the answer was a refusal. */
  #failed(stream: EventSource): void {
    if (stream === this.#stream && stream.readyState === EventSource.CLOSED) {
      this.#close();
      this.#timer = setTimeout(() => this.#isWanted() && this.#open(), TRY_AGAIN_MS);
    }
    // It tells whether the session has ended, or the server is away.
    void session.check();
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#stream?.close();
    this.#stream = null;
  }
}

export const live = new Live();
