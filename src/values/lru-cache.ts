import { LRUCache } from 'lru-cache';

/**
 * Creates an LRU cache. Its entries' sizes are at most `most` together; each counts 1 without `sizeOf`. The library's
 * `max` would allocate all in advance, taking a millisecond.
 */
export function lruCache<K extends string | number, V extends object | string | number | boolean>(
  most: number,
  sizeOf: (value: V) => number = () => 1,
): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: sizeOf });
}
