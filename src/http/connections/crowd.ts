/**
 * Groups members by their networks, the widest first. The next one to give way is the oldest member of the fullest
 * narrower network in the fullest wide one. Each call takes the same time, however many members there are.
 */
export class Crowd<T> {
  readonly #members = new Set<T>();
  readonly #networks = new Map<string, Crowd<T>>();
  /** The networks with one member, with two, and so on. */
  readonly #bySize: Set<Crowd<T>>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns how many members the fullest network has. */
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

  /** `networks`: those with which the member was added. */
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

  next(): T | undefined {
    const [fullest] = this.#bySize.at(-1) ?? [];
    return fullest === undefined ? this.#members.values().next().value : fullest.next();
  }

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
