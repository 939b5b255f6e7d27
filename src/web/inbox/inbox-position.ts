import { session } from '../session.ts';

/** Of the inbox that was shown last, without the server, with what it was filtered by. */
let address = '/';
let isWanted = false;

// Nothing of one person is to be there for the next.
session.state.listen(() => {
  if (session.state.value.kind === 'out') address = '/';
});

/** To be called where it is shown at this address. */
export function inboxIsAt(url: string): void {
  address = url;
}

/** Where a way back leads, and of what the list is that is shown beside an event. */
export function inboxAddress(): string {
  return address;
}

/** The next time that the inbox is shown it is at the place where it was left, as after the browser's own Back. */
export function wantPlace(): void {
  isWanted = true;
}

/** Whether that was wanted, once. */
export function isPlaceWanted(): boolean {
  const was = isWanted;
  isWanted = false;
  return was;
}
