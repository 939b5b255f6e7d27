import { audit as texts } from '../../texts/workspace.ts';

/** `7m3q0f9t2xkd "ci"`, `7m3q0f9t2xkd to 9t2xkd7m3q0f "ci"`: a key by its ids and name. */
const NAMED = /^\S+(?: to \S+)? "(.*)"(?:, \S+ revoked)?$/;

/** Begins with a channel: `deploys`, `deploys: active, "Deploys"`. */
const IS_CHANNEL = /^channel\./;
/** `evt_… to deploys`, `evt_… of deploys, to leads`, `dev_… from deploys, builds`, `backup on deploys, "Backup"`. */
const HAS_CHANNELS = /^(?:event\.send|alert\.|device\.subscribe|device\.unsubscribe|heartbeat\.add|heartbeat\.change)/;
/** `dev_… of ada@example.com`, `dev_… from ada@example.com to bob@example.com`, `dev_… by evt_…`. */
const HAS_OTHERS = /^device\.(?:add|move|test|import)/;
const LINKED = /(?<= )(of|to|from|on|by) ([^\s,]+(?:, (?!to )[^\s,]+)*)/g;
const BEFORE_NAME = /^[^"]*/;
/** `3 alerts of deploys, up to evt_…`. */
const MANY = /^(\d+) alerts of (\S+), up to (\S+)$/;
/** `mnt_… of deploys, 2026-… to 2026-…`, `mnt_… of deploys, by 0 3 * * * (UTC)`, `mnt_… of deploys`. */
const WINDOW = /^(mnt_\S+) of ([^\s,]+)(?:, (?:by )?(.*))?$/;
const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]*/;

interface Entry {
  readonly action: string;
  readonly object: string;
}

/** Returns the act as the rest of a sentence about the person. `names`: of channels by slug. */
export function sentenceOf({ action, object }: Entry, names: ReadonlyMap<string, string> = new Map()): string {
  const say = (texts.did as Readonly<Record<string, (object: string) => string>>)[action];
  if (say === undefined) return `${texts.didElse(action)}: ${object}`;
  return say(NAMED.exec(object)?.[1] ?? objectIn({ action, object }, names));
}

/** Returns the translated object, with the names of existing channels. */
function objectIn({ action, object }: Entry, names: ReadonlyMap<string, string>): string {
  const nameOf = (slug: string): string => names.get(slug) ?? slug;
  if (IS_CHANNEL.test(action)) return object.replace(SLUG, nameOf);
  const [, count, channel = '', id] = MANY.exec(object) ?? [];
  if (count !== undefined) return texts.andOthers(`${id} ${texts.linked.of} ${nameOf(channel)}`, Number(count) - 1);
  const [, windowId, windowChannel = '', times] = WINDOW.exec(object) ?? [];
  if (windowId !== undefined) {
    const window = `${windowId} ${texts.linked.of} ${nameOf(windowChannel)}`;
    return times === undefined ? window : `${window}, ${times.replace(/ to /, ' – ')}`;
  }
  const hasChannels = HAS_CHANNELS.test(action);
  if (!hasChannels && !HAS_OTHERS.test(action)) return object;
  const linkedName = (_: string, word: keyof typeof texts.linked, what: string): string =>
    `${texts.linked[word]} ${hasChannels ? what.split(', ').map(nameOf).join(', ') : what}`;
  return object.replace(BEFORE_NAME, (linked) => linked.replaceAll(LINKED, linkedName));
}
