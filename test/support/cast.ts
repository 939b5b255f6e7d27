/**
 * The people and things of the tests. The first workspace is `acme` with the channel `alerts`; a second workspace is
 * `umbrella`, a second channel `builds`.
 */

/** Owns `acme`. */
export const ADA = 'ada@example.com';
/** A member, where a test needs another. */
export const BOB = 'bob@example.com';
/** An admin, or a third person. */
export const CARL = 'carl@example.com';
/** One more. */
export const DAN = 'dan@example.com';
/** Does not belong here, or means no good. */
export const EVE = 'eve@example.com';
