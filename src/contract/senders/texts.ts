import { hash } from 'node:crypto';
import { firstCharacters } from '../../values/characters.ts';
import type { JsonObject } from '../../values/json.ts';
import type { Body } from './bodies.ts';
import type { SenderEvent } from './format.ts';
import { textOf } from './scalars.ts';

/** Lengths of schemas/event.json, in code points. */
const TITLE_MAX = 255;
const DESCRIPTION_MAX = 1_000;
const KEY_MAX = 255;
/** Counted in UTF-16 units: still more than 2,048 code points. */
const LINK_UNITS = 4_098;

export type Texts = Pick<SenderEvent, 'title' | 'description'>;

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
export function textsOfOther(body: Body): Texts | null {
  const known = textsOf(firstOf(body, ['title', 'subject', 'summary']), knownText(body));
  return known ?? (body.hasContent ? textsOf('', body.readable) : null);
}

/** The field that means a message elsewhere; an empty text: there is none. */
export function knownText(body: Body): string {
  return firstOf(body, ['message', 'text', 'description', 'body', 'msg', 'content']);
}

function firstOf({ fields }: Body, names: readonly string[]): string {
  return names.map((name) => textOf(fields[name])).find((text) => text.trim()) ?? '';
}

/** The event with its texts shortened to our limits, and the names of those that were. */
export function fitTexts(event: SenderEvent): { readonly fitted: JsonObject; readonly shortened: readonly string[] } {
  const { title, description, collapse_key: collapse } = event;
  const fitted = {
    title: shorten(title, TITLE_MAX),
    ...(description !== undefined && { description: shorten(description, DESCRIPTION_MAX) }),
    ...(collapse !== undefined && { collapse_key: keyWithin(collapse.toWellFormed()) }),
  };
  const shortened = (['title', 'description'] as const).filter((name) => fitted[name] !== event[name]);
  return { fitted: { ...event, ...fitted, ...withinReason(event) }, shortened };
}

/** Links that are too long to be valid, without their ends: they may be as long as the body. */
function withinReason({ url, image_url: image }: SenderEvent): Pick<SenderEvent, 'url' | 'image_url'> {
  return {
    ...(url !== undefined && { url: url.slice(0, LINK_UNITS) }),
    ...(image !== undefined && { image_url: image.slice(0, LINK_UNITS) }),
  };
}

/** A collapse or idempotency key: its hash stands for one that is too long. */
export function keyWithin(key: string): string {
  return shorten(key, KEY_MAX) === key ? key : hash('sha256', key);
}

/** At most so many code points, the last one an ellipsis if there were more. No emoji of several is cut. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  // No code point has more than two units.
  const points = [...text.slice(0, 2 * max + 2)];
  return points.length <= max ? text : `${firstCharacters(points, max - 1).join('')}…`;
}

/**
 * The first line that has a letter, a number or an emoji is the headline, not one of brackets or dashes. If it is too long
 * for a headline, the text below has it as well.
 */
function untitled(whole: string): Texts {
  const text = whole.slice(whole.lastIndexOf('\n', Math.max(0, whole.search(WORD))) + 1).trimStart();
  const end = text.indexOf('\n');
  if (end < 0) return shorten(text, TITLE_MAX) === text ? { title: text } : { title: text, description: text };
  const title = text.slice(0, end).trimEnd();
  const rest = readable(text.slice(end));
  return { title, description: shorten(title, TITLE_MAX) === title ? rest : text };
}

const WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Well-formed, and beginning with something that can be seen, or with what says in which direction it is read. */
function readable(text: string): string {
  const [unseen = ''] = /^[\s\p{Cc}\p{Cf}]+/u.exec(text) ?? [];
  const rest = text.slice(unseen.length).trimEnd().toWellFormed();
  return rest === '' ? '' : unseen.replaceAll(/[^\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, '') + rest;
}
