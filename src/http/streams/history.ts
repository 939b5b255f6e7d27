import { randomBytes } from 'node:crypto';
import { type Change, nameOf } from '../../changes/changes.ts';

/** Changes that are remembered, each once: by kind and by what it is of. */
const MAX_CHANGES = 10_000;

/** A change, and the number under which it was sent last. */
export type Numbered = readonly [change: Change, number: number];

/**
 * The last number of every change, so that a client that comes back is sent what it missed, and no more. A new history
 * begins when the first client comes after there was none.
 */
export class History {
  readonly #run = randomBytes(6).toString('hex');
  readonly #changes = new Map<string, Numbered>();
  #number = 0;
  #forgottenUpTo = 0;

  add(change: Change): Numbered {
    this.#number += 1;
    const name = nameOf(change);
    const numbered: Numbered = [change, this.#number];
    this.#changes.delete(name); // A Map keeps the order of insertion: the latest last.
    this.#changes.set(name, numbered);
    if (this.#changes.size > MAX_CHANGES) this.#forgetFirst();
    return numbered;
  }

  /** The id of an event of the stream: of the last one, unless another number is given. */
  id(number = this.#number): string {
    return `${this.#run}-${number}`;
  }

  /** What came after the event with this id; null: that is not known. */
  since(id: string | undefined): readonly Numbered[] | null {
    const [, run, digits] = /^([0-9a-f]+)-(\d{1,15})$/.exec(id ?? '') ?? [];
    const from = Number(digits);
    if (run !== this.#run || from < this.#forgottenUpTo || from > this.#number) return null;
    return [...this.#changes.values()].filter(([, number]) => number > from);
  }

  #forgetFirst(): void {
    const [first] = this.#changes;
    if (first === undefined) return;
    const [name, [, number]] = first;
    this.#changes.delete(name);
    this.#forgottenUpTo = number;
  }
}
