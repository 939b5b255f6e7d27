/** Prefix of stored collapse keys of heartbeats, so that none equals a sender's. */
const OWN = '\u0001';

export function senderCollapseKey(key: string): string {
  return key.startsWith(OWN) ? OWN + key : key;
}

export function ownCollapseKey(key: string): string {
  return OWN + key;
}

export function shownCollapseKey(stored: string): string {
  return stored.startsWith(OWN) ? stored.slice(OWN.length) : stored;
}
