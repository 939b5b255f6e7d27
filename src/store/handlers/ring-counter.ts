import type { Rings } from '../../contract/rings.ts';

export interface Ring {
  readonly channel: string | number;
  readonly atMs: number;
}

/** Rings remembered, of all channels together: 20 to 50 MB. */
const MOST_KEPT = 200_000;
/** Rings left after forgetting. Many go at once, as finding the first entry of a map passes deleted ones. */
const LEFT = 180_000;

/** Counts channels' recent rings, in memory, per node. */
export class RingCounter {
  /** The channel that rang last is last. None is empty. */
  readonly #rings = new Map<Ring['channel'], Ring[]>();
  #kept = 0;

  isOver(channel: Ring['channel'], { at_most: most, per }: Rings, nowMs: number): boolean {
    const earliest = this.#rings.get(channel)?.at(-most);
    // After a clock setback, later times no longer count.
    return earliest !== undefined && earliest.atMs > nowMs - 1000 * per && earliest.atMs <= nowMs;
  }

  /** Counts a ring, and forgets irrelevant ones. */
  count(channel: Ring['channel'], { at_most: most }: Rings, nowMs: number): Ring {
    const ring = { channel, atMs: nowMs };
    const rings = this.#take(channel);
    rings.push(ring);
    if (rings.length > most) rings.splice(0, rings.length - most);
    this.#rings.set(channel, rings);
    this.#kept += rings.length;
    if (this.#kept > MOST_KEPT) this.#forgetEarliest();
    return ring;
  }

  giveBack(ring: Ring): void {
    const rings = this.#rings.get(ring.channel) ?? [];
    const place = rings.lastIndexOf(ring);
    if (place < 0) return;
    rings.splice(place, 1);
    this.#kept -= 1;
    if (rings.length === 0) this.#rings.delete(ring.channel);
  }

  #forgetEarliest(): void {
    for (const earliest of this.#rings.keys()) {
      if (this.#kept <= LEFT) return;
      this.#take(earliest);
    }
  }

  #take(channel: Ring['channel']): Ring[] {
    const rings = this.#rings.get(channel) ?? [];
    this.#rings.delete(channel);
    this.#kept -= rings.length;
    return rings;
  }
}
