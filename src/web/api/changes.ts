import type { Schema } from './client.ts';

export type Kind = Schema<'Change'>['kind'];

const listeners = new Set<(kind: Kind) => void>();

/**
 * Reports which kinds of things have changed on the server, never their new state. Views of such things load them
 * again.
 */
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
