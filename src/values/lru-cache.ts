import { LRUCache } from 'lru-cache';

/**
 * A cache of at most so many entries, of which those go first that were not asked for longest. The library's own `max`
 * takes the memory of all of them, and a millisecond, before there is one.
 */
export function lruCache<K extends string | number, V extends object | string | number | boolean>(
  most: number,
): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
