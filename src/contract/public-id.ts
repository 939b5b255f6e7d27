/** The public ids of events, people, devices, webhooks and maintenance windows. */
import { randomUUID } from 'node:crypto';
import { parse, validate } from 'uuid';
import { fromCrockford, toCrockford } from './crockford.ts';

const UUID_BITS = 128n;
/** 26 characters of 5 bits hold the 128 bits of a UUID. */
const EVENT_ID = /^evt_[0-9a-z]{26}$/;

/** `evt_` and the event's UUID in Crockford's base32: the same identifier, written differently. */
export function publicIdOf(uuid: string): string {
  return `evt_${toCrockford(uuid.replaceAll('-', ''), 26)}`;
}

/** The hyphenated UUID behind an event's public id; null where the text is none, or hides bits that no UUID has. */
export function uuidOf(publicId: string): string | null {
  if (!EVENT_ID.test(publicId)) return null;
  const value = fromCrockford(publicId.slice('evt_'.length));
  if (value === null || value >> UUID_BITS !== 0n) return null;
  const hex = value.toString(16).padStart(32, '0');
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return validate(uuid) ? uuid : null;
}

/** The same UUID as the database has it; null, to which nothing is equal there, where the text is no public id. */
export function uuidBytesOf(publicId: string): Buffer | null {
  const uuid = uuidOf(publicId);
  return uuid === null ? null : Buffer.from(parse(uuid));
}

/** A person's id is the same in all workspaces. */
export function personIdOf(id: number): string {
  return `usr_${id}`;
}

/** The number behind a person's public id; null where the text is none. */
export function numberOfPerson(personId: string): number | null {
  const [, digits] = /^usr_([1-9]\d{0,14})$/.exec(personId) ?? [];
  return digits === undefined ? null : Number(digits);
}

const TICK_MS = 4;
const TICK_BITS = 40;
/** The last twelve hex digits of a version 4 UUID are all random. */
const RANDOM_DIGITS = 10;

/**
 * A new device's public id: `dev_`, the time in 40 bits, and 40 random ones. With the time in front, the ids of an
 * import lie side by side in their index, which so takes half the time. The random ones are a UUID's, as Node keeps a
 * store of those: bytes asked for by themselves take a fifth of an import's time.
 */
export function newDeviceId(wallMs: number): string {
  return `dev_${timedId(wallMs)}`;
}

export function newWebhookId(wallMs: number): string {
  return `whk_${timedId(wallMs)}`;
}

export function newMaintenanceId(wallMs: number): string {
  return `mnt_${timedId(wallMs)}`;
}

function timedId(wallMs: number): string {
  const ticks = Math.floor(wallMs / TICK_MS) % 2 ** TICK_BITS;
  const random = randomUUID().slice(-RANDOM_DIGITS);
  return `${toCrockford(ticks.toString(16), 8)}${toCrockford(random, 8)}`;
}
