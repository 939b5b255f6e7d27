/**
 * The one way from text to a terminal. Names, titles, answers of servers, lines of files and words of the command line
 * come from others: they must not control the terminal, hide text, or change its order.
 */
import { stripVTControlCharacters } from 'node:util';

/** Control and format characters (escapes, bidi, zero width), lone surrogates, line and paragraph separators. */
const STEERING = /[\p{C}\p{Zl}\p{Zp}]/gu;
const ESCAPE = '\u001b';
/** Bold, red, green, magenta, and their ends: what this program itself styles with (`styleText`). */
const OWN_STYLES = new RegExp(`(${ESCAPE}\\[(?:1|22|31|32|35|39)m)`);

/** A text on one line, without any style. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(STEERING, ' ');
}

/** Whatever is printed for a person: its lines stay. */
export function printable(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

/** The same, but the program's own styles stay, too: for results, where what comes from others is `plain` already. */
export function printableStyled(text: string): string {
  return text
    .split(OWN_STYLES)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}

/** A document on one line. What JSON lets through and a terminal would obey is escaped, so it reads back as it was. */
export function printableJson(document: unknown): string {
  return JSON.stringify(document).replaceAll(STEERING, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}
