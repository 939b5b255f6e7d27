import { textOf } from './bodies.ts';

/** In a pattern, and of each: more than is ever shown, and not so much that a text is many times as long as its body. */
const MOST_NAMES = 10;
const LONGEST = 4_096;

/**
 * The text that a pattern has in a body. A pattern that begins with a slash is a JSON pointer (RFC 6901):
 * `/check/name`. Any other is a text with names of fields in braces, `{check.name} is {status}`, where a pointer may stand
 * as well. What is not there, or is no text and no number, is an empty text.
 */
export function filled(pattern: string, body: unknown): string {
  if (pattern.startsWith('/')) return textAt(body, pattern);
  let left = MOST_NAMES;
  return pattern.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    left -= 1;
    return left < 0 ? '' : textAt(body, name.trim());
  });
}

function textAt(body: unknown, place: string): string {
  let value = body;
  for (const name of namesIn(place)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return '';
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return textOf(value).slice(0, LONGEST);
}

function namesIn(place: string): readonly string[] {
  if (!place.startsWith('/')) return place.split('.');
  const names = place.slice(1).split('/');
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
