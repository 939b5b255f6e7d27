import type { Clock } from '../clock.ts';
import type { Links } from '../push.ts';

interface Held {
  readonly links: Links;
  readonly bytes: number;
  readonly sinceMs: number;
}

/** The size of an entry without its strings: the map's slot, the objects, the key. Estimated on the safe side. */
const ENTRY_BYTES = 300;

/**
 * The links of queued events, in memory only: they are never written to a disk. Beyond `limitBytes` the oldest are
 * dropped, and their events are sent without. After `ttlMs` no event is sent any more, so links that nobody dropped,
 * such as those of deleted events, go then.
 */
export class LinkMemory {
  readonly #limitBytes: number;
  readonly #ttlMs: number;
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  constructor(limitBytes: number, ttlMs: number, clock: Pick<Clock, 'steadyMs'>) {
    this.#limitBytes = limitBytes;
    this.#ttlMs = ttlMs;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(publicId: string, links: Links): void {
    if (links.url === undefined && links.imageUrl === undefined) return;
    this.drop(publicId);
    const bytes = ENTRY_BYTES + 2 * ((links.url?.length ?? 0) + (links.imageUrl?.length ?? 0));
    const sinceMs = this.#clock.steadyMs();
    this.#held.set(publicId, { links, bytes, sinceMs });
    this.#bytes += bytes;
    for (const [oldest, held] of this.#held) {
      if (this.#bytes <= this.#limitBytes && sinceMs - held.sinceMs < this.#ttlMs) return;
      this.drop(oldest);
    }
  }

  of(publicId: string): Links | undefined {
    return this.#held.get(publicId)?.links;
  }

  drop(publicId: string): void {
    const held = this.#held.get(publicId);
    if (!held) return;
    this.#held.delete(publicId);
    this.#bytes -= held.bytes;
  }
}
