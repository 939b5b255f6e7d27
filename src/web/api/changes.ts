import type { Schema } from './client.ts';

export type Kind = Schema<'Change'>['kind'];

const listeners = new Set<(kind: Kind) => void>();

/** What the server says has changed: of which kind, never what it is now. Views of such things load them again. */
export const changes = {
  emit(kind: Kind): void {
    for (const listener of listeners) listener(kind);
  },
  /** Returns how to stop listening. */
  listen(listener: (kind: Kind) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};
