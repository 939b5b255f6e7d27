/**
 * Groups members by networks. Chooses who gives way in constant time: the oldest of the fullest narrow network in the
 * fullest wide one.
 */
export class Crowd<T> {
  readonly #members = new Set<T>();
  readonly #networks = new Map<string, Crowd<T>>();
  /** Networks by number of members. */
  readonly #bySize: Set<Crowd<T>>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the members of the fullest network. */
  get most(): number {
    return this.#bySize.length;
  }

  add(member: T, [network, ...narrower]: readonly string[]): void {
    this.#size += 1;
    if (network === undefined) {
      this.#members.add(member);
      return;
    }
    const inside = this.#networks.get(network) ?? new Crowd<T>();
    this.#networks.set(network, inside);
    inside.add(member, narrower);
    this.#sort(inside, inside.#size - 1);
  }

  /** `networks`: as at `add`. */
  delete(member: T, [network, ...narrower]: readonly string[]): void {
    this.#size -= 1;
    const inside = this.#networks.get(network ?? '');
    if (network === undefined || inside === undefined) {
      this.#members.delete(member);
      return;
    }
    inside.delete(member, narrower);
    this.#sort(inside, inside.#size + 1);
    if (inside.#size === 0) this.#networks.delete(network);
  }

  /** Returns the member that gives way. */
  next(): T | undefined {
    const [fullest] = this.#bySize.at(-1) ?? [];
    return fullest === undefined ? this.#members.values().next().value : fullest.next();
  }

  /** Returns the part in these networks. */
  in([network, ...narrower]: readonly string[]): Crowd<T> | undefined {
    return network === undefined ? this : this.#networks.get(network)?.in(narrower);
  }

  #sort(inside: Crowd<T>, sizeBefore: number): void {
    this.#bySize[sizeBefore - 1]?.delete(inside);
    if (inside.#size > this.#bySize.length) this.#bySize.push(new Set());
    this.#bySize[inside.#size - 1]?.add(inside);
    while (this.#bySize.at(-1)?.size === 0) this.#bySize.pop();
  }
}
