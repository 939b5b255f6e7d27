import { randomBytes } from 'node:crypto';
import { type Change, nameOf } from '../../changes/changes.ts';

/** Remembered changes, distinct by kind and subject. */
const MAX_CHANGES = 10_000;

export type Numbered = readonly [change: Change, number: number];

/** Microseconds since 1970, by a clock never set. */
const steadyUs = (): number => Math.floor(1_000 * (performance.timeOrigin + performance.now()));

/**
 * Numbers all changes, so a returning client gets exactly what it missed. A new history begins with the first client
 * after none. Numbers are times: counts would reveal other workspaces' activity.
 */
export class History {
  readonly #nowUs: () => number;
  readonly #run = randomBytes(6).toString('hex');
  readonly #changes = new Map<string, Numbered>();
  #number = 0;
  #forgottenUpTo = 0;

  constructor(nowUs = steadyUs) {
    this.#nowUs = nowUs;
  }

  add(change: Change): Numbered {
    this.#number = Math.max(this.#number + 1, this.#nowUs());
    const name = nameOf(change);
    const numbered: Numbered = [change, this.#number];
    this.#changes.delete(name); // A Map keeps the order of insertion: the latest last.
    this.#changes.set(name, numbered);
    if (this.#changes.size > MAX_CHANGES) this.#forgetFirst();
    return numbered;
  }

  /** Returns an event's id, by default for one sent now. */
  id(number = this.#now()): string {
    return `${this.#run}-${number}`;
  }

  /** Returns the items after an event's id; null: unknown. */
  since(id: string | undefined): readonly Numbered[] | null {
    const [, run, digits] = /^([0-9a-f]+)-(\d{1,16})$/.exec(id ?? '') ?? [];
    const from = Number(digits);
    if (run !== this.#run || from < this.#forgottenUpTo || from > this.#number) return null;
    return [...this.#changes.values()].filter(([, number]) => number > from);
  }

  /** Later changes have higher numbers. */
  #now(): number {
    this.#number = Math.max(this.#number, this.#nowUs());
    return this.#number;
  }

  #forgetFirst(): void {
    const [first] = this.#changes;
    if (first === undefined) return;
    const [name, [, number]] = first;
    this.#changes.delete(name);
    this.#forgottenUpTo = number;
  }
}
