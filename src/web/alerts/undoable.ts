import { session } from '../session.ts';
import { Shared } from '../shared.ts';

/** What the user just did to alerts, and can take back. */
export interface Undoable {
  readonly text: string;
  /** One of the alerts. */
  readonly id: string;
  /** Loads what the page shows again. */
  readonly reload: () => unknown;
}

/** The last act, for a minute, on whatever page the user is by then. */
export const undoable = new Shared<Undoable | null>(null);

// Nothing of one person is to be there for the next.
session.state.listen(() => {
  if (session.state.value.kind === 'out') undoable.value = null;
});
