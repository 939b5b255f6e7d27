import type { Links } from '../push.ts';

interface Held {
  readonly links: Links;
  readonly bytes: number;
}

/** What an entry costs beside its strings: the map's slot, the objects, the key. A rough guess on the safe side. */
const ENTRY_BYTES = 300;

/**
 * The links of queued events. They live here and nowhere else: no disk ever sees them. Beyond `limitBytes` the oldest are
 * dropped, and their events go out without.
 */
export class LinkMemory {
  readonly #limitBytes: number;
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(publicId: string, links: Links): void {
    if (links.url === undefined && links.imageUrl === undefined) return;
    this.drop(publicId);
    const bytes = ENTRY_BYTES + 2 * ((links.url?.length ?? 0) + (links.imageUrl?.length ?? 0));
    this.#held.set(publicId, { links, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#limitBytes) return;
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
