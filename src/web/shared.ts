import { useEffect, useState } from 'preact/hooks';

/** A value shared by parts of the app, such as the user. */
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

  /** Returns a function that stops listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Returns the value, rerendering on changes. */
export function useShared<T>(shared: Shared<T>): T {
  const [value, setValue] = useState(shared.value);
  useEffect(() => {
    const read = (): void => setValue(() => shared.value);
    // The value may have changed since rendering.
    read();
    return shared.listen(read);
  }, [shared]);
  return value;
}
