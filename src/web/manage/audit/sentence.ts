import { texts } from '../../texts/audit.ts';

/** `7m3q0f9t2xkd "ci"`, `7m3q0f9t2xkd to 9t2xkd7m3q0f "ci"`: a key by its ids and name. */
const NAMED = /^\S+(?: to \S+)? "(.*)"(?:, \S+ revoked)?$/;

/** `deploys`, `deploys: active, "Deploys"`: begins with a channel. */
const IS_CHANNEL = /^channel\./;
/** `evt_… to deploys`, `evt_… of deploys, to leads`, `dev_… from deploys, builds`, `backup on deploys`. */
const HAS_CHANNELS = /^(?:event\.send|alert\.|device\.subscribe|device\.unsubscribe|heartbeat\.add|heartbeat\.change)/;
const SLUG = /[A-Za-z0-9][A-Za-z0-9._-]*/;
const CHANNELS = new RegExp(`(?<= (?:to|of|from|on) )${SLUG.source}(?:, ${SLUG.source})*`, 'g');

interface Entry {
  readonly action: string;
  readonly object: string;
}

/** What was done, as the rest of a sentence that begins with who did it. `names`: of channels, by their slugs. */
export function sentenceOf({ action, object }: Entry, names: ReadonlyMap<string, string> = new Map()): string {
  const say = (texts.did as Readonly<Record<string, (object: string) => string>>)[action];
  if (say === undefined) return `${texts.didElse(action)}: ${object}`;
  return say(NAMED.exec(object)?.[1] ?? withNames({ action, object }, names));
}

/** Channels by the names that people see, as far as they are there still. */
function withNames({ action, object }: Entry, names: ReadonlyMap<string, string>): string {
  const nameOf = (slug: string): string => names.get(slug) ?? slug;
  if (IS_CHANNEL.test(action)) return object.replace(new RegExp(`^${SLUG.source}`), nameOf);
  if (!HAS_CHANNELS.test(action)) return object;
  return object.replaceAll(CHANNELS, (slugs) => slugs.split(', ').map(nameOf).join(', '));
}
