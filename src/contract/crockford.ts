/** Crockford's base32 in lower case: no i, l, o or u, so that nothing is misread. */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RADIX = BigInt(ALPHABET.length);

/** A number in hex, in exactly `length` characters. Twenty bits are five digits there and four characters here. */
export function toCrockford(hex: string, length: number): string {
  let text = '';
  for (let end = hex.length; end > 0; end -= 5) {
    const bits = Number.parseInt(hex.slice(Math.max(0, end - 5), end), 16);
    text = digit(bits >> 15) + digit(bits >> 10) + digit(bits >> 5) + digit(bits) + text;
  }
  return text.slice(-length).padStart(length, '0');
}

/** The character of the lowest five bits. */
function digit(bits: number): string {
  return ALPHABET.charAt(bits & 31);
}

/** The number that a text stands for; null where a character is none of the alphabet. */
export function fromCrockford(text: string): bigint | null {
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = value * RADIX + BigInt(digit);
  }
  return value;
}

/** `length` random characters, 5 bits each: all are equally likely. `random` gives that many random bytes. */
export function randomCrockford(length: number, random: (bytes: number) => Uint8Array = randomBytes): string {
  return Array.from(random(length), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
