import type { Schema } from './client.ts';

export type Kind = Schema<'Change'>['kind'];

const listeners = new Set<(kind: Kind) => void>();

/** Reports which kinds of things changed on the server, so that views reload them. */
export const changes = {
  emit(kind: Kind): void {
    for (const listener of listeners) listener(kind);
  },
  /** Returns a function that stops listening. */
  listen(listener: (kind: Kind) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
