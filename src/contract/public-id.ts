import { randomBytes, randomUUID } from 'node:crypto';
import { parse, validate } from 'uuid';

/** Public ids of events, people, devices, webhooks, maintenance windows and overrides. */

const UUID_BITS = 128n;
/** 26 characters of 5 bits hold a UUID's 128. */
const EVENT_ID = /^evt_[0-9a-z]{26}$/;

/** Returns `evt_` and the event's UUID in Crockford's base32. */
export function publicIdOf(uuid: string): string {
  return `evt_${toCrockford(uuid.replaceAll('-', ''), 26)}`;
}

/** Returns a public id's UUID; null: none, or bits outside of a UUID. */
export function uuidOf(publicId: string): string | null {
  if (!EVENT_ID.test(publicId)) return null;
  const value = fromCrockford(publicId.slice('evt_'.length));
  if (value === null || value >> UUID_BITS !== 0n) return null;
  const hex = value.toString(16).padStart(32, '0');
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return validate(uuid) ? uuid : null;
}

/** Returns the UUID's bytes; null, which equals nothing in the database, for no public id. */
export function uuidBytesOf(publicId: string): Buffer | null {
  const uuid = uuidOf(publicId);
  return uuid === null ? null : Buffer.from(parse(uuid));
}

/** Returns a person's id, the same in all workspaces. */
export function personIdOf(id: number): string {
  return `usr_${id}`;
}

/** Returns the number in a person's id, or null. */
export function numberOfPerson(personId: string): number | null {
  const [, digits] = /^usr_([1-9]\d{0,14})$/.exec(personId) ?? [];
  return digits === undefined ? null : Number(digits);
}

const TICK_MS = 4;
const TICK_BITS = 40;
/** A UUIDv4's last twelve hex digits are random. */
const RANDOM_DIGITS = 10;

/**
 * Returns `dev_`, 40 bits of time, 40 random ones. Time first keeps an import together in the index, halving its time.
 * Random bits come from a UUID, which Node pools; separate bytes take a fifth of an import.
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

export function newOverrideId(wallMs: number): string {
  return `ovr_${timedId(wallMs)}`;
}

function timedId(wallMs: number): string {
  const ticks = Math.floor(wallMs / TICK_MS) % 2 ** TICK_BITS;
  const random = randomUUID().slice(-RANDOM_DIGITS);
  return `${toCrockford(ticks.toString(16), 8)}${toCrockford(random, 8)}`;
}

/** Crockford's base32 in lower case, without the misread i, l, o and u. */

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RADIX = BigInt(ALPHABET.length);

/** Writes a hex number in exactly `length` characters; five hex digits are four characters. */
export function toCrockford(hex: string, length: number): string {
  let text = '';
  for (let end = hex.length; end > 0; end -= 5) {
    const bits = Number.parseInt(hex.slice(Math.max(0, end - 5), end), 16);
    text = digit(bits >> 15) + digit(bits >> 10) + digit(bits >> 5) + digit(bits) + text;
  }
  return text.slice(-length).padStart(length, '0');
}

/** Returns the lowest five bits' character. */
function digit(bits: number): string {
  return ALPHABET.charAt(bits & 31);
}

/** Returns the number; null for characters outside of the alphabet. */
function fromCrockford(text: string): bigint | null {
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = value * RADIX + BigInt(digit);
  }
  return value;
}

/** Returns `length` characters of 5 random bits, equally likely. `random` returns that many bytes. */
export function randomCrockford(length: number, random: (bytes: number) => Uint8Array = randomBytes): string {
  return Array.from(random(length), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
