import { setTimeout as pause } from 'node:timers/promises';

export interface LoadOptions {
  readonly posters?: number;
  /** Between two posts of one of them. */
  readonly pauseMs?: number;
  /** Clients give up if no answer comes for so long. */
  readonly answerMs?: number;
}

/**
 * Integrators that post without end: events of both urgencies, with links, every second one with an idempotency key.
 * Without an answer, they retry with the same key at the next server; without a key it is unknown whether the event was
 * taken.
 */
export class Load {
  /** When each event was first answered with 202 or 200, by its public id and `performance.now()`. */
  readonly acknowledged = new Map<string, number>();
  /** Posts without a key whose answer was lost. */
  unknown = 0;
  /** Posts whose connection ended, or that waited too long. */
  unanswered = 0;
  /** Keys that were answered with another event than before. Must stay empty. */
  readonly torn: string[] = [];
  /** How often each other answer came, such as `503`, or `503 without Retry-After`. */
  readonly refusals = new Map<string, number>();
  readonly #apiKey: string;
  readonly #options: Required<LoadOptions>;
  readonly #byKey = new Map<string, string>();
  readonly #again: string[] = [];
  #count = 0;

  constructor(apiKey: string, { posters = 16, pauseMs = 5, answerMs = 60_000 }: LoadOptions = {}) {
    this.#apiKey = apiKey;
    this.#options = { posters, pauseMs, answerMs };
  }

  /** Posts to the server at `url` until `signal` says so. */
  async run(url: string, signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.posters }, () => this.#poster(url, signal)));
  }

  /** Tries once more what has no answer yet. Afterwards every key has its event. */
  async finish(url: string): Promise<void> {
    for (let key = this.#again.shift(); key !== undefined; key = this.#again.shift()) await this.#post(url, key);
  }

  async #poster(url: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#count += 1;
      const key = this.#again.shift() ?? (this.#count % 2 === 0 ? `key-${this.#count}` : null);
      await this.#post(url, key);
      await pause(this.#options.pauseMs);
    }
  }

  async #post(url: string, key: string | null): Promise<void> {
    const answer = await this.#ask(url, key);
    if (answer === 'not taken') return;
    if (answer === 'unknown') {
      if (key === null) this.unknown += 1;
      else this.#again.push(key);
      return;
    }
    if (!this.acknowledged.has(answer.publicId)) this.acknowledged.set(answer.publicId, performance.now());
    if (key === null) return;
    const first = this.#byKey.get(key);
    if (first !== undefined && first !== answer.publicId) this.torn.push(key);
    this.#byKey.set(key, answer.publicId);
  }

  async #ask(url: string, key: string | null): Promise<{ publicId: string } | 'unknown' | 'not taken'> {
    const body = JSON.stringify({
      channel: 'alerts',
      title: 'Disk full',
      url: 'https://example.com/disk',
      delivery_urgency: this.#count % 3 === 0 ? 'time_sensitive' : 'standard',
      ...(key !== null && { idempotency_key: key }),
    });
    const headers = { authorization: `Bearer ${this.#apiKey}`, 'content-type': 'application/json' };
    try {
      const signal = AbortSignal.timeout(this.#options.answerMs);
      const answer = await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body, signal });
      if (answer.status !== 202 && answer.status !== 200) {
        this.#refused(answer);
        return key === null || answer.status < 500 ? 'not taken' : 'unknown';
      }
      const { event } = (await answer.json()) as { event: { public_id: string } };
      return { publicId: event.public_id };
    } catch {
      this.unanswered += 1;
      return 'unknown';
    }
  }

  #refused({ status, headers }: Response): void {
    const what = headers.has('retry-after') ? String(status) : `${status} without Retry-After`;
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
  }
}
