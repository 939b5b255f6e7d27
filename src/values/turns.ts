import type { LRUCache } from 'lru-cache';
import { lruCache } from './lru-cache.ts';

/** Groups, the widest first, such as a workspace and a person. */
export type Groups = readonly string[];

interface Waiting {
  readonly groups: Groups;
}

/**
 * Gives groups turns: frequent callers get no more. At every width the group waiting longest since its last turn goes,
 * then its first caller. Each width needs distinct names.
 */
export class Turns {
  readonly #servedAt: LRUCache<string, number>;
  #turn = 0;

  /** `mostGroups`: forgotten groups count as new. */
  constructor(mostGroups: number) {
    this.#servedAt = lruCache(mostGroups);
  }

  /** Returns whose turn it is. `waiting`: in order of arrival. */
  next<T extends Waiting>(waiting: readonly T[]): T | undefined {
    let left = waiting;
    for (let width = 0; hasGroups(left, width); width += 1) {
      const turns = left.map(({ groups }) => this.#servedAt.get(groups[width] ?? '') ?? 0);
      const earliest = left[turns.indexOf(Math.min(...turns))]?.groups[width];
      left = left.filter(({ groups }) => groups[width] === earliest);
    }
    return left[0];
  }

  served(groups: Groups): void {
    this.#turn += 1;
    for (const name of groups) this.#servedAt.set(name, this.#turn);
  }
}

/** Returns whom to refuse: the last caller of the fullest group in the fullest wider one. */
export function whoIsRefused<T extends Waiting>(waiting: readonly T[]): T | undefined {
  let left = waiting;
  for (let width = 0; hasGroups(left, width); width += 1) {
    const groups = [...Map.groupBy(left, ({ groups }) => groups[width]).values()];
    // Among equals the last, which found others there.
    left = groups.reduce((most, group) => (group.length >= most.length ? group : most));
  }
  return left.at(-1);
}

function hasGroups(waiting: readonly Waiting[], width: number): boolean {
  return waiting.some(({ groups }) => groups.length > width);
}
