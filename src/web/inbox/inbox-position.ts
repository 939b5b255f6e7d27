import { session } from '../session.ts';

/** The address of the inbox that was shown last, with its filters and without the server. */
let address = '/';
let isWanted = false;

// The next person must not see anything of this one.
session.state.listen(() => {
  if (session.state.value.kind === 'out') address = '/';
});

/** Notes the address at which the inbox is shown. */
export function inboxIsAt(url: string): void {
  address = url;
}

/** Returns the address that ways back lead to. The list beside an event has its filters, too. */
export function inboxAddress(): string {
  return address;
}

/** Makes the inbox open next time at the place where it was left, as after the browser's own Back. */
export function wantPlace(): void {
  isWanted = true;
}

/** Returns whether that was wanted, once. */
export function isPlaceWanted(): boolean {
  const was = isWanted;
  isWanted = false;
  return was;
}
