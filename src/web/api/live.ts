import { session } from '../session.ts';
import { changes, type Kind } from './changes.ts';
import { answers } from './client.ts';
import { connection } from './connection.ts';
import { firstOf } from './position.ts';

/**
 * The wait after an answer that ends the stream for good: too many streams, or a proxy without the server behind it.
 */
const TRY_AGAIN_MS = 20_000;
/** Earlier requests must be answered first: the stream begins where their answers end. */
const LOOK_AGAIN_MS = 50;
const LOOKS = 100;
/** A sign of life comes every 20 s. After this silence the connection is dead, which no browser notices by itself. */
const SILENCE_MS = 60_000;
/** A new stream may have been given an idle connection that is dead as well. */
const OPENING_MS = 10_000;

/**
 * Receives what has changed from the server while a user is signed in and the tab is visible: a browser has six
 * connections for a server, and a hidden tab must not keep one. The stream begins where the shown answers end. If the
 * server no longer knows that place, it says to load everything.
 */
class Live {
  #stream: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;
  /** The id of the last event; null: none has come yet. */
  #lastId: string | null = null;

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

  #open(looks = LOOKS): void {
    if (this.#stream !== null) return;
    clearTimeout(this.#timer);
    if (answers.awaited > 0 && looks > 0) {
      this.#timer = setTimeout(() => this.#isWanted() && this.#open(looks - 1), LOOK_AGAIN_MS);
      return;
    }
    this.#lastId ??= answers.awaited > 0 ? null : firstOf(answers.positions);
    const search = new URLSearchParams({ last_event_id: this.#lastId ?? '' });
    const stream = new EventSource(`/api/v1/stream?${search}`);
    this.#expectSign(OPENING_MS);
    for (const sign of ['open', 'alive', 'change']) stream.addEventListener(sign, () => this.#expectSign());
    stream.addEventListener('change', ({ data, lastEventId }) => {
      this.#lastId = lastEventId;
      answers.positions.clear();
      const { kind } = JSON.parse(data) as { readonly kind: Kind };
      if (kind === 'session' || kind === 'everything') void session.check();
      changes.emit(kind);
    });
    stream.addEventListener('error', () => this.#failed(stream));
    this.#stream = stream;
  }

  /** Opens another stream, which begins where this one ended, unless a sign of life comes. */
  #expectSign(withinMs = SILENCE_MS): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      this.#close();
      this.#open();
      // The answer says whether the server is away. A second question would only wait behind the first.
      if (withinMs === SILENCE_MS) void session.check();
    }, withinMs);
  }

  /** Browsers try again by themselves if nothing answered. If they do not, the answer was a refusal. */
  #failed(stream: EventSource): void {
    if (stream === this.#stream && stream.readyState === EventSource.CLOSED) {
      this.#close();
      this.#timer = setTimeout(() => this.#isWanted() && this.#open(), TRY_AGAIN_MS);
    }
    // The answer says whether the session has ended, or the server is away.
    void session.check();
  }

  #close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#watch);
    this.#stream?.close();
    this.#stream = null;
  }
}

export const live = new Live();
