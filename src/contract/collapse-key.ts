/** The server's own collapse keys (of heartbeats) begin with it as they are stored, so none is equal to a sender's. */
const OWN = '\u0001';

/** Returns a sender's collapse key as it is stored. */
export function senderCollapseKey(key: string): string {
  return key.startsWith(OWN) ? OWN + key : key;
}

/** Returns a collapse key of the server's own as it is stored. */
export function ownCollapseKey(key: string): string {
  return OWN + key;
}

/** Returns a stored collapse key as people and apps see it. */
export function shownCollapseKey(stored: string): string {
  return stored.startsWith(OWN) ? stored.slice(OWN.length) : stored;
}
