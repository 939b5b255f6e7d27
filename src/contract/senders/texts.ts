import { hash } from 'node:crypto';
import type { JsonObject } from '../../values/json.ts';
import { firstCharacters } from '../../values/text.ts';
import { type Body, textOf } from './bodies.ts';
import type { Publication, PublishAct, Reply, SenderEvent, SenderRequest } from './format.ts';

/** Lengths of schemas/event.json, in code points. */
const TITLE_MAX = 255;
const DESCRIPTION_MAX = 1_000;
const KEY_MAX = 255;
/** UTF-16 units, still more than 2,048 code points. */
const LINK_UNITS = 4_098;

export type Texts = Pick<SenderEvent, 'title' | 'description'>;

/** Returns headline and text as an event's; null without content. */
export function textsOf(headline: string, text: string): Texts | null {
  const [title, description] = [readable(headline), readable(text)];
  if (title === '') return description === '' ? null : untitled(description);
  return description === '' ? { title } : { title, description };
}

/**
 * Reads a body that does not follow its format, so that its alert is not lost. Takes fields that mean a title or a
 * message elsewhere, else everything. Null: nothing to read.
 */
export function textsOfOther(body: Body): Texts | null {
  const known = textsOf(firstOf(body, ['title', 'subject', 'summary']), knownText(body));
  return known ?? (body.hasContent ? textsOf('', body.readable) : null);
}

/** Returns the field of usual message names; empty: none. */
export function knownText(body: Body): string {
  return firstOf(body, ['message', 'text', 'description', 'body', 'msg', 'content']);
}

function firstOf({ fields }: Body, names: readonly string[]): string {
  return names.map((name) => textOf(fields[name])).find((text) => text.trim()) ?? '';
}

/** Shortens an event's texts to our limits, with the names of those cut. */
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

/** Cuts links too long to be valid, which may be as long as the body. */
function withinReason({ url, image_url: image }: SenderEvent): Pick<SenderEvent, 'url' | 'image_url'> {
  return {
    ...(url !== undefined && { url: url.slice(0, LINK_UNITS) }),
    ...(image !== undefined && { image_url: image.slice(0, LINK_UNITS) }),
  };
}

/** Hashes a too long collapse or idempotency key. */
export function keyWithin(key: string): string {
  return shorten(key, KEY_MAX) === key ? key : hash('sha256', key);
}

/** Cuts to `max` code points with an ellipsis, never within an emoji. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  // No code point has more than two units.
  const points = [...text.slice(0, 2 * max + 2)];
  return points.length <= max ? text : `${firstCharacters(points, max - 1).join('')}…`;
}

/** Takes the first line with letter, number or emoji as headline. A too long line stays in the text as well. */
function untitled(whole: string): Texts {
  const text = whole.slice(whole.lastIndexOf('\n', Math.max(0, whole.search(WORD))) + 1).trimStart();
  const end = text.indexOf('\n');
  if (end < 0) return shorten(text, TITLE_MAX) === text ? { title: text } : { title: text, description: text };
  const title = text.slice(0, end).trimEnd();
  const rest = readable(text.slice(end));
  return { title, description: shorten(title, TITLE_MAX) === title ? rest : text };
}

const WORD = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Makes a text well-formed. It then begins with a visible character or a direction mark. */
function readable(text: string): string {
  const [unseen = ''] = /^[\s\p{Cc}\p{Cf}]+/u.exec(text) ?? [];
  const rest = text.slice(unseen.length).trimEnd().toWellFormed();
  return rest === '' ? '' : unseen.replaceAll(/[^\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, '') + rest;
}

/** A publication within our limits. Plain data. */
export interface FittedPublication
  extends Pick<Publication, 'fallback' | 'notification' | 'idempotencyKey' | 'status' | 'repeated'> {
  readonly event: JsonObject;
  /** Shortened parts: fields of the event, lists in the body. */
  readonly shortened: readonly string[];
}

/** Returns null for a request without text. */
export async function fittedPublication(
  { publish }: Pick<PublishAct, 'publish'>,
  request: SenderRequest,
): Promise<FittedPublication | Reply | null> {
  const publication = await publish(request);
  return publication === null || 'reply' in publication ? publication : fittedTo(publication);
}

/** Fits a publication not made of a request. */
export function fittedTo({
  event,
  fallback,
  cut = [],
  notification,
  idempotencyKey,
  status,
  repeated,
}: Publication): FittedPublication {
  const { fitted, shortened } = fitTexts(event);
  return {
    event: fitted,
    ...(fallback !== undefined && { fallback }),
    shortened: [...shortened, ...cut],
    ...(notification !== undefined && { notification }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(status !== undefined && { status }),
    ...(repeated !== undefined && { repeated }),
  };
}
