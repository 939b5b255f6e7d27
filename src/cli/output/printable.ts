/**
 * All text to a terminal passes here. Names, titles, answers and file lines are foreign: they must not control the
 * terminal, hide or reorder text.
 */
import { stripVTControlCharacters } from 'node:util';

/** Control and format characters (escapes, bidi, zero width), lone surrogates, line and paragraph separators. */
const STEERING = /[\p{C}\p{Zl}\p{Zp}]/gu;
const ESCAPE = '\u001b';
/** This program's own styles (`styleText`): bold, red, green, magenta, and their ends. */
const OWN_STYLES = new RegExp(`(${ESCAPE}\\[(?:1|22|31|32|35|39)m)`);

/** Returns a text on one line, unstyled. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(STEERING, ' ');
}

/** Returns a text for people, keeping its lines. */
export function printable(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

/** Returns a text with its lines and own styles, for results whose foreign texts are already `plain`. */
export function printableStyled(text: string): string {
  return text
    .split(OWN_STYLES)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('');
}

/** Returns a document on one line, escaping what a terminal would obey. It parses back unchanged. */
export function printableJson(document: unknown): string {
  return JSON.stringify(document).replaceAll(STEERING, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}
