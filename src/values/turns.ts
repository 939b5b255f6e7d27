import type { LRUCache } from 'lru-cache';
import { lruCache } from './lru-cache.ts';

/** The groups that something belongs to, the widest first, such as a workspace and a person in it. */
export type Groups = readonly string[];

interface Waiting {
  readonly groups: Groups;
}

/**
 * Gives turns to groups that wait for the same thing, so that none gets more than others by asking more often: of the
 * widest groups the one whose turn is longest ago, of the groups in it the same, and there the first caller. Groups
 * of one width need names that no other width has.
 */
export class Turns {
  readonly #servedAt: LRUCache<string, number>;
  #turn = 0;

  /** `mostGroups`: a group that was forgotten counts as one that had no turn yet. */
  constructor(mostGroups: number) {
    this.#servedAt = lruCache(mostGroups);
  }

  /** Whose turn it is, of those who wait in the order in which they came. */
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

/** Returns the caller to refuse if too many wait: the last of the fullest group in the fullest wider group. */
export function whoIsRefused<T extends Waiting>(waiting: readonly T[]): T | undefined {
  let left = waiting;
  for (let width = 0; hasGroups(left, width); width += 1) {
    const groups = [...Map.groupBy(left, ({ groups }) => groups[width]).values()];
    // Among equals the group that came last: it found others there.
    left = groups.reduce((most, group) => (group.length >= most.length ? group : most));
  }
  return left.at(-1);
}

function hasGroups(waiting: readonly Waiting[], width: number): boolean {
  return waiting.some(({ groups }) => groups.length > width);
}
