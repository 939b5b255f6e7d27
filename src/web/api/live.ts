import { session } from '../session.ts';
import { changes, type Kind } from './changes.ts';
import { answers, firstOf } from './client.ts';
import { connection } from './connection.ts';

/** The wait after answers that end the stream: too many streams, or a proxy without server. */
const TRY_AGAIN_MS = 20_000;
/** The stream begins where earlier answers end: these must come first. */
const LOOK_AGAIN_MS = 50;
const LOOKS = 100;
/** Signs of life come every 20 s. Browsers do not notice dead connections themselves. */
const SILENCE_MS = 60_000;
/** A new stream may get another dead idle connection. */
const OPENING_MS = 10_000;

/**
 * Receives changes while signed in and visible: browsers have six connections per server, so hidden tabs keep none. The
 * stream begins where shown answers end; if that is unknown, the server asks to reload everything.
 */
class Live {
  #stream: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;
  /** The last event's id; null: none yet. */
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

  /** Opens another stream where this one ended, unless a sign of life comes. */
  #expectSign(withinMs = SILENCE_MS): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => {
      this.#close();
      this.#open();
      // The answer shows whether the server is away. A second request would queue behind.
      if (withinMs === SILENCE_MS) void session.check();
    }, withinMs);
  }

  /** Browsers retry unanswered requests; otherwise the answer was a refusal. */
  #failed(stream: EventSource): void {
    if (stream === this.#stream && stream.readyState === EventSource.CLOSED) {
      this.#close();
      this.#timer = setTimeout(() => this.#isWanted() && this.#open(), TRY_AGAIN_MS);
    }
    // The answer shows whether the session ended or the server is away.
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
