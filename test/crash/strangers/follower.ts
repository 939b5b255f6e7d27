import { setTimeout as pause } from 'node:timers/promises';

interface Page {
  readonly events: readonly { readonly public_id: string; readonly received_at: string }[];
  readonly next: string | null;
}

const EVERY_MS = 200;

/** A program that asks again and again for what is new since the newest event that it has seen. */
export class Follower {
  readonly seen = new Set<string>();
  readonly #key: string;
  #since: string;

  constructor(key: string) {
    this.#key = key;
    this.#since = new Date().toISOString();
  }

  /** Until `signal` says so; `urlOf`: of the server that is asked next. */
  async run(urlOf: () => string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look(urlOf()).catch(() => {});
      await pause(EVERY_MS);
    }
  }

  async look(url: string): Promise<void> {
    let newest = this.#since;
    for (let before: string | null = ''; before !== null; ) {
      const query = new URLSearchParams({ since: this.#since, limit: '50', ...(before !== '' && { before }) });
      const answer = await fetch(`${url}/api/v1/events?${query}`, {
        headers: { authorization: `Bearer ${this.#key}` },
        signal: AbortSignal.timeout(10_000),
      });
      if (answer.status !== 200) return;
      const { events, next } = (await answer.json()) as Page;
      for (const { public_id, received_at } of events) {
        this.seen.add(public_id);
        if (received_at > newest) newest = received_at;
      }
      before = next;
    }
    this.#since = newest;
  }
}
