import type { Rings } from '../../contract/rings.ts';

/** A time at which a channel rang. */
export interface Ring {
  readonly channel: string | number;
  readonly atMs: number;
}

/** Channels whose rings are remembered. */
const MOST_KEPT = 10_000;

/** Counts how often channels rang lately, in memory: each node counts its own. */
export class RingCounter {
  readonly #rings = new Map<string | number, Ring[]>();

  isOver(channel: Ring['channel'], { at_most: most, per }: Rings, nowMs: number): boolean {
    const earliest = this.#rings.get(channel)?.at(-most);
    // After the clock was set back, later times count no more.
    return earliest !== undefined && earliest.atMs > nowMs - 1000 * per && earliest.atMs <= nowMs;
  }

  /** Counts a ring. Forgets those that no longer matter. */
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
