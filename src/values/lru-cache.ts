import { LRUCache } from 'lru-cache';

/** Creates an LRU cache. The library's `max` would allocate all entries in advance, taking a millisecond. */
export function lruCache<K extends string | number, V extends object | string | number | boolean>(
  most: number,
): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
