import { session } from '../session.ts';

/** The last shown inbox's address, with filters, without server. */
let address = '/';
let isWanted = false;

// Hides everything from the next person.
session.state.listen(() => {
  if (session.state.value.kind === 'out') address = '/';
});

export function inboxIsAt(url: string): void {
  address = url;
}

/** Returns the address for ways back, with the filters beside an event. */
export function inboxAddress(): string {
  return address;
}

/** Reopens the inbox at the place left, like the browser's Back. */
export function wantPlace(): void {
  isWanted = true;
}

/** Returns whether that was wanted, once. */
export function isPlaceWanted(): boolean {
  const was = isWanted;
  isWanted = false;
  return was;
}
