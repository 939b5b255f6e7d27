import { serverNow } from '../clock.ts';
import { Shared } from '../shared.ts';
import { request } from './client.ts';
import type { Answer } from './problem.ts';

const FIRST_TRY_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** Tracks by every answer whether the server is reachable, and retries while it is not. */
class Connection {
  /** null: all is well. */
  readonly trouble = new Shared<'offline' | 'away' | null>(navigator.onLine ? null : 'offline');
  /** Since when the page may be outdated; null also before anything is shown. */
  readonly lostAtMs = new Shared<number | null>(null);
  /** Counts reconnections, after which pages reload their data. */
  readonly restored = new Shared(0);
  #waitMs = FIRST_TRY_MS;
  #wasThere = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    addEventListener('offline', () => this.#lost('offline'));
    addEventListener('online', () => {
      // Browsers report this a moment too early.
      this.#waitMs = FIRST_TRY_MS;
      void this.#tryAgain();
    });
  }

  /** Called with every API answer. */
  learn(answer: Answer<unknown>): void {
    const kind = answer.ok ? null : answer.problem.kind;
    if (kind === 'offline' || kind === 'away') this.#lost(kind);
    else this.#found();
  }

  /** Notes that the page shows data kept at this time. */
  showsKept(atMs: number): void {
    if (this.trouble.value !== null) this.lostAtMs.value ??= atMs;
  }

  #lost(why: 'offline' | 'away'): void {
    this.trouble.value = why;
    if (this.#wasThere) this.lostAtMs.value ??= serverNow();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tryAgain(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }

  #found(): void {
    clearTimeout(this.#timer);
    this.#waitMs = FIRST_TRY_MS;
    this.#wasThere = true;
    if (this.trouble.value === null) return;
    this.trouble.value = null;
    this.lostAtMs.value = null;
    this.restored.value += 1;
  }

  async #tryAgain(): Promise<void> {
    try {
      const { status } = await request('get', '/v1/session', {});
      if (status < 500) this.#found();
      else this.#lost('away');
    } catch {
      this.#lost(navigator.onLine ? 'away' : 'offline');
    }
  }
}

export const connection = new Connection();
