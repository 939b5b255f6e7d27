import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const UUID_BYTES = 16;
const DRAWN_AT_ONCE = 256;

/**
 * Makes UUIDs of version 7 for a time. Random bytes are drawn for many at once, as a single draw costs more than all
 * the rest.
 */
export function uuidMaker(): (wallMs: number) => string {
  const drawn = new Uint8Array(UUID_BYTES * DRAWN_AT_ONCE);
  let used = drawn.length;
  const rng = (): Uint8Array => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    used += UUID_BYTES;
    return drawn.slice(used - UUID_BYTES, used);
  };
  return (wallMs) => v7({ msecs: wallMs, rng });
}
