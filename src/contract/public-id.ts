import { randomBytes, randomUUID } from 'node:crypto';
import { validate } from 'uuid';

/** Public ids of events, people, devices, webhooks, maintenance windows and overrides. */

/** 26 characters of 5 bits hold a UUID's 128 bits, so the first one has three bits. */
const EVENT_ID = /^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** A UUID as its 16 bytes, which are faster, or as text or hex. */
export type Uuid = Uint8Array | string;

/** Returns `evt_` and the event's UUID in Crockford's base32. */
export function publicIdOf(uuid: Uuid): string {
  return `evt_${crockfordOf(typeof uuid === 'string' ? bytesOfUuid(uuid) : uuid)}`;
}

/** Returns a public id's UUID; null: none, or bits outside of a UUID. */
export function uuidOf(publicId: string): string | null {
  if (!EVENT_ID.test(publicId)) return null;
  const hex = bytesOfCrockford(publicId.slice('evt_'.length)).toString('hex');
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return validate(uuid) ? uuid : null;
}

/** Returns the UUID's bytes; null, which equals nothing in the database, for no public id. */
export function uuidBytesOf(publicId: string): Buffer | null {
  const uuid = uuidOf(publicId);
  return uuid === null ? null : bytesOfUuid(uuid);
}

/** Returns the bytes of a UUID in text or hex. */
export function bytesOfUuid(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
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
/** Each character's value, by its code. */
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));
/** The two characters of 10 bits. */
const PAIRS = [...ALPHABET].flatMap((first) => [...ALPHABET].map((second) => first + second));

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

/** Writes 16 bytes: the first one in two characters, then 5 bytes in 8 each. */
function crockfordOf(bytes: Uint8Array): string {
  const byte = (at: number) => bytes[at] as number;
  let text = pair(byte(0));
  for (let at = 1; at < 16; at += 5) {
    const high = (byte(at) << 12) | (byte(at + 1) << 4) | (byte(at + 2) >> 4);
    const low = ((byte(at + 2) & 15) << 16) | (byte(at + 3) << 8) | byte(at + 4);
    text += pair(high >> 10) + pair(high) + pair(low >> 10) + pair(low);
  }
  return text;
}

/** Returns the lowest ten bits' characters. */
function pair(bits: number): string {
  return PAIRS[bits & 1023] as string;
}

/** Reads what `crockfordOf` writes. */
function bytesOfCrockford(text: string): Buffer {
  const digit = (at: number) => VALUES[text.charCodeAt(at)] as number;
  const four = (at: number) => (digit(at) << 15) | (digit(at + 1) << 10) | (digit(at + 2) << 5) | digit(at + 3);
  const bytes = Buffer.allocUnsafe(16);
  bytes[0] = (digit(0) << 5) | digit(1);
  for (let at = 1, from = 2; at < 16; at += 5, from += 8) {
    const high = four(from);
    const low = four(from + 4);
    bytes[at] = high >> 12;
    bytes[at + 1] = high >> 4;
    bytes[at + 2] = (high << 4) | (low >> 16);
    bytes[at + 3] = low >> 8;
    bytes[at + 4] = low;
  }
  return bytes;
}

/** Returns `length` characters of 5 random bits, equally likely. `random` returns that many bytes. */
export function randomCrockford(length: number, random: (bytes: number) => Uint8Array = randomBytes): string {
  return Array.from(random(length), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
