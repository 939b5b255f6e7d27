/** Crockford's base32 in lower case, without the misread i, l, o and u. */
import { randomBytes } from 'node:crypto';

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
export function fromCrockford(text: string): bigint | null {
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
