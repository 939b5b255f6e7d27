import { hash } from 'node:crypto';
import { type JsonObject, jsonObject, saysSomething, textOf } from './bodies.ts';
import type { SenderEvent } from './format.ts';

/** Lengths of schemas/event.json, in code points. */
const TITLE_MAX = 255;
const DESCRIPTION_MAX = 1_000;
const COLLAPSE_KEY_MAX = 255;

type Texts = Pick<SenderEvent, 'title' | 'description'>;

/** Headline and text of a notification as those of an event; null where neither has anything to read. */
export function textsOf(headline: string, text: string): Texts | null {
  const [title, description] = [readable(headline), readable(text)];
  if (title === '') return description === '' ? null : untitled(description);
  return description === '' ? { title } : { title, description };
}

/**
 * The texts of a body that is not as its format has it, so that its alert is not lost: of fields that mean a title or a
 * message elsewhere, else all of it. Null: there is nothing to read in it.
 */
export function textsOfOther(body: string): Texts | null {
  const fields = jsonObject(body) ?? {};
  const first = (names: readonly string[]) => names.map((name) => textOf(fields[name])).find((one) => one.trim()) ?? '';
  const known = textsOf(first(['title', 'subject', 'summary']), first(['message', 'text', 'description', 'body']));
  return known ?? (saysSomething(body) ? textsOf('', body) : null);
}

/** The event with its texts shortened to our limits, and the names of those that were. */
export function fitTexts(event: SenderEvent): { readonly fitted: JsonObject; readonly shortened: readonly string[] } {
  const { title, description, collapse_key: collapse } = event;
  const fitted = {
    title: shorten(title, TITLE_MAX),
    ...(description !== undefined && { description: shorten(description, DESCRIPTION_MAX) }),
    ...(collapse !== undefined && { collapse_key: collapseKeyOf(collapse) }),
  };
  const shortened = (['title', 'description'] as const).filter((name) => fitted[name] !== event[name]);
  return { fitted: { ...event, ...fitted }, shortened };
}

/** Any text as a collapse key: one that is too long is stood for by its hash. */
function collapseKeyOf(text: string): string {
  const key = text.toWellFormed();
  return shorten(key, COLLAPSE_KEY_MAX) === key ? key : hash('sha256', key);
}

/** At most so many code points, the last one an ellipsis where there were more. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  // No code point has more than two units.
  const points = [...text.slice(0, 2 * max + 2)];
  return points.length <= max ? text : `${points.slice(0, max - 1).join('')}…`;
}

/** The first line is the headline; where it is too long for one, the text below has it as well. */
function untitled(text: string): Texts {
  const end = text.indexOf('\n');
  if (end < 0) return shorten(text, TITLE_MAX) === text ? { title: text } : { title: text, description: text };
  const title = text.slice(0, end).trimEnd();
  const rest = readable(text.slice(end));
  return { title, description: shorten(title, TITLE_MAX) === title ? rest : text };
}

/** Well-formed, and beginning with something that can be seen. */
function readable(text: string): string {
  return text
    .toWellFormed()
    .replace(/^[\s\p{Cc}\p{Cf}]+/u, '')
    .trimEnd();
}
