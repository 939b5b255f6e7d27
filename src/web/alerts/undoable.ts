import { session } from '../session.ts';
import { Shared } from '../shared.ts';

export interface Undoable {
  readonly text: string;
  /** One of the alerts. */
  readonly id: string;
  readonly reload: () => unknown;
}

/** The last act, for a minute, on every page. */
export const undoable = new Shared<Undoable | null>(null);

// Hides everything from the next person.
session.state.listen(() => {
  if (session.state.value.kind === 'out') undoable.value = null;
});
