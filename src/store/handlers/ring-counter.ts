import type { Rings } from '../../contract/rings.ts';

export interface Ring {
  readonly channel: string | number;
  readonly atMs: number;
}

/** Channels remembered. */
const MOST_KEPT = 10_000;

/** Counts channels' recent rings, in memory, per node. */
export class RingCounter {
  readonly #rings = new Map<string | number, Ring[]>();

  isOver(channel: Ring['channel'], { at_most: most, per }: Rings, nowMs: number): boolean {
    const earliest = this.#rings.get(channel)?.at(-most);
    // After a clock setback, later times no longer count.
    return earliest !== undefined && earliest.atMs > nowMs - 1000 * per && earliest.atMs <= nowMs;
  }

  /** Counts a ring, and forgets irrelevant ones. */
  count(channel: Ring['channel'], { at_most: most }: Rings, nowMs: number): Ring {
    const ring = { channel, atMs: nowMs };
    const rings = this.#rings.get(channel) ?? [];
    if (rings.length === 0 && this.#rings.size >= MOST_KEPT) this.#rings.clear();
    this.#rings.set(channel, rings);
    rings.push(ring);
    if (rings.length > most) rings.splice(0, rings.length - most);
    return ring;
  }

  giveBack(ring: Ring): void {
    const rings = this.#rings.get(ring.channel) ?? [];
    const place = rings.lastIndexOf(ring);
    if (place >= 0) rings.splice(place, 1);
  }
}
