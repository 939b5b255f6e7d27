import type { Clock } from '../clock.ts';
import type { Links } from '../push.ts';

interface Held {
  readonly workspaceId: number;
  readonly links: Links;
  readonly bytes: number;
  readonly sinceMs: number;
}

/** What one workspace holds. */
interface Share {
  /** Its events, the oldest first. */
  readonly publicIds: Set<string>;
  bytes: number;
}

/** The size of an entry without its strings: the slots, the objects, the key. Estimated on the safe side. */
const ENTRY_BYTES = 300;

/**
 * The links of queued events, in memory only: they are never written to a disk. Beyond `limitBytes` the oldest of the
 * workspace that holds most are dropped, and their events are sent without. After `ttlMs` no event is sent any more, so
 * links that nobody dropped, such as those of deleted events, go then.
 */
export class LinkMemory {
  readonly #limitBytes: number;
  readonly #ttlMs: number;
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #held = new Map<string, Held>();
  readonly #shares = new Map<number, Share>();
  #bytes = 0;

  constructor(limitBytes: number, ttlMs: number, clock: Pick<Clock, 'steadyMs'>) {
    this.#limitBytes = limitBytes;
    this.#ttlMs = ttlMs;
    this.#clock = clock;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(workspaceId: number, publicId: string, links: Links): void {
    if (links.url === undefined && links.imageUrl === undefined) return;
    this.drop(publicId);
    const bytes = ENTRY_BYTES + 2 * ((links.url?.length ?? 0) + (links.imageUrl?.length ?? 0));
    const sinceMs = this.#clock.steadyMs();
    const share = this.#shares.get(workspaceId) ?? { publicIds: new Set(), bytes: 0 };
    this.#held.set(publicId, { workspaceId, links, bytes, sinceMs });
    this.#shares.set(workspaceId, share);
    share.publicIds.add(publicId);
    share.bytes += bytes;
    this.#bytes += bytes;
    this.#dropExpired(sinceMs);
    while (this.#bytes > this.#limitBytes) this.#dropOldestOfLargest();
  }

  of(publicId: string): Links | undefined {
    return this.#held.get(publicId)?.links;
  }

  drop(publicId: string): void {
    const held = this.#held.get(publicId);
    const share = held && this.#shares.get(held.workspaceId);
    if (!held || !share) return;
    this.#held.delete(publicId);
    share.publicIds.delete(publicId);
    share.bytes -= held.bytes;
    if (share.publicIds.size === 0) this.#shares.delete(held.workspaceId);
    this.#bytes -= held.bytes;
  }

  #dropExpired(steadyMs: number): void {
    for (const [publicId, { sinceMs }] of this.#held) {
      if (steadyMs - sinceMs < this.#ttlMs) return;
      this.drop(publicId);
    }
  }

  /** Once the memory is full, this runs for each event that is posted: so nothing is copied or sorted. */
  #dropOldestOfLargest(): void {
    let largest: Share | undefined;
    for (const share of this.#shares.values()) if (!largest || share.bytes > largest.bytes) largest = share;
    const [oldest] = largest?.publicIds ?? [];
    if (oldest !== undefined) this.drop(oldest);
  }
}
