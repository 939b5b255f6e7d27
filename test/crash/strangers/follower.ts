import { setTimeout as pause } from 'node:timers/promises';

interface Page {
  readonly events: readonly { readonly public_id: string; readonly received_at: string }[];
  readonly next: string | null;
  /** With `after`. */
  readonly up_to?: string;
}

const EVERY_MS = 200;
const BEFORE_ALL = `evt_${'0'.repeat(26)}`;

/** A program that asks again and again for what is new since the newest event that it has seen, in both ways that there are. */
export class Follower {
  /** Follows by `since`, and by `after`. */
  readonly bySince = new Set<string>();
  readonly byAfter = new Set<string>();
  readonly #key: string;
  #since = new Date().toISOString();
  #after = BEFORE_ALL;

  constructor(key: string) {
    this.#key = key;
  }

  /** Until `signal` says so; `urlOf`: of the server that is asked next. */
  async run(urlOf: () => string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.look(urlOf()).catch(() => {});
      await pause(EVERY_MS);
    }
  }

  async look(url: string): Promise<void> {
    await this.#lookAfter(url);
    await this.#lookSince(url);
  }

  async #lookSince(url: string): Promise<void> {
    let newest = this.#since;
    for (let before: string | null = ''; before !== null; ) {
      const page = await this.#ask(url, { since: this.#since, ...(before !== '' && { before }) });
      if (page === null) return;
      for (const { public_id, received_at } of page.events) {
        this.bySince.add(public_id);
        if (received_at > newest) newest = received_at;
      }
      before = page.next;
    }
    this.#since = newest;
  }

  async #lookAfter(url: string): Promise<void> {
    for (let page: Page | null = null; page === null || page.next !== null; ) {
      page = await this.#ask(url, { after: this.#after });
      if (page === null) return;
      for (const { public_id } of page.events) this.byAfter.add(public_id);
      this.#after = page.up_to ?? this.#after;
    }
  }

  /** null: there is no answer now. */
  async #ask(url: string, query: Readonly<Record<string, string>>): Promise<Page | null> {
    const answer = await fetch(`${url}/api/v1/events?${new URLSearchParams({ ...query, limit: '50' })}`, {
      headers: { authorization: `Bearer ${this.#key}` },
      signal: AbortSignal.timeout(10_000),
    });
    return answer.status === 200 ? ((await answer.json()) as Page) : null;
  }
}
