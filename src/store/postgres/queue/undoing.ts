/** How to undo what the running call has changed in memory. */
export class Undoing {
  #undos: (() => void)[] = [];

  add(undo: () => void): void {
    this.#undos.push(undo);
  }

  mark(): number {
    return this.#undos.length;
  }

  /** Undoes everything since the mark, the newest change first. */
  undo(mark = 0): void {
    for (const undo of this.#undos.splice(mark).reverse()) undo();
  }

  /** Keeps all changes. */
  clear(): void {
    this.#undos = [];
  }
}
