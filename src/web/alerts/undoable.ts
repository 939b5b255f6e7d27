import { session } from '../session.ts';
import { Shared } from '../shared.ts';

/** An act of the user on alerts that can be undone. */
export interface Undoable {
  readonly text: string;
  /** One of the alerts. */
  readonly id: string;
  /** Loads what the page shows again. */
  readonly reload: () => unknown;
}

/** The last act, for a minute, on whatever page the user is. */
export const undoable = new Shared<Undoable | null>(null);

// The next person must not see anything of this one.
session.state.listen(() => {
  if (session.state.value.kind === 'out') undoable.value = null;
});
