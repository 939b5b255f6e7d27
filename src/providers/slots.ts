import type { Lane } from '../push.ts';

/** Bounds a provider's requests in flight. Slots are given in order, lane by lane. */
export class Slots {
  #free: number;
  readonly #waiting: Record<Lane, Queue<() => void>> = {
    urgent: new Queue(),
    standard: new Queue(),
    quarantine: new Queue(),
  };

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(lane: Lane, task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting[lane].push(resolve));
    try {
      return await task();
    } finally {
      const { urgent, standard, quarantine } = this.#waiting;
      const next = urgent.shift() ?? standard.shift() ?? quarantine.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** A FIFO without moving items at each `shift`. */
class Queue<T> {
  #items: T[] = [];
  #head = 0;

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head += 1;
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
