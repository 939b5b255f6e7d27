import type { HeldBody } from '../limits/body-budget.ts';

const PAGE_BYTES = 65_536;

interface Page {
  readonly bytes: Buffer;
  size: number;
  /** The memory behind it. */
  readonly held: number;
}

/** Which bytes to keep; others are discarded on arrival. */
export type KeptBytes = { readonly first: number } | { readonly last: number };

const ALL: KeptBytes = { last: Number.POSITIVE_INFINITY };

/** Collects a body in pages counted before use. A million small pieces take no extra memory. */
export class BodyBytes {
  readonly #held: HeldBody;
  readonly #firstBytes: number;
  readonly #lastBytes: number;
  readonly #pages: Page[] = [];
  #size = 0;

  constructor(held: HeldBody, kept: KeptBytes = ALL) {
    this.#held = held;
    this.#firstBytes = 'first' in kept ? kept.first : Number.POSITIVE_INFINITY;
    this.#lastBytes = 'last' in kept ? kept.last : Number.POSITIVE_INFINITY;
  }

  /** Throws as `HeldBody.take` does. */
  add(received: Buffer): void {
    const chunk = received.subarray(0, this.#firstBytes - this.#size);
    if (chunk.length === 0) return;
    // Does not copy bodies in one piece, as most are.
    if (this.#pages.length === 0) this.#push(chunk, chunk.length, chunk.buffer.byteLength);
    else this.#write(chunk);
    this.#size += chunk.length;
    this.#dropFirst();
  }

  /** Returns the kept bytes, once complete. */
  whole(): Buffer {
    const [first, second] = this.#pages;
    const filled = this.#pages.map(({ bytes, size }) => bytes.subarray(0, size));
    const all =
      first !== undefined && second === undefined ? first.bytes.subarray(0, first.size) : Buffer.concat(filled);
    return this.#lastBytes < all.length ? all.subarray(-this.#lastBytes) : all;
  }

  #write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const page = this.#pages.at(-1);
      const written = page === undefined ? 0 : chunk.copy(page.bytes, page.size, at);
      if (page !== undefined) page.size += written;
      at += written;
      if (at === chunk.length) return;
      const bytes = Math.min(PAGE_BYTES, Math.max(chunk.length - at, this.#size));
      this.#held.take(bytes);
      this.#pages.push({ bytes: Buffer.allocUnsafeSlow(bytes), size: 0, held: bytes });
    }
  }

  #push(bytes: Buffer, size: number, held: number): void {
    this.#held.take(held);
    this.#pages.push({ bytes, size, held });
  }

  #dropFirst(): void {
    for (
      let [first] = this.#pages;
      first !== undefined && this.#size - first.size >= this.#lastBytes;
      [first] = this.#pages
    ) {
      this.#pages.shift();
      this.#size -= first.size;
      this.#held.giveBack(first.held);
    }
  }
}
