/** Crockford's base32 in lower case: no i, l, o or u, so that nothing is misread. */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RADIX = BigInt(ALPHABET.length);

/** A number that is not negative, in exactly `length` characters. */
export function toCrockford(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= RADIX) text = ALPHABET.charAt(Number(rest % RADIX)) + text;
  return text;
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

/** `length` random characters, 5 bits each. */
export function randomCrockford(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}
