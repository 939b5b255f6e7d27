import { useEffect, useState } from 'preact/hooks';

/** A value that several parts of the app show: who is signed in, whether the server is there. */
export class Shared<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set value(value: T) {
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  /** Returns how to stop listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The value, now and whenever it changes. */
export function useShared<T>(shared: Shared<T>): T {
  const [value, setValue] = useState(shared.value);
  useEffect(() => {
    const read = (): void => setValue(() => shared.value);
    // It may have changed since the component was drawn.
    read();
    return shared.listen(read);
  }, [shared]);
  return value;
}
