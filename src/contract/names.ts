import { stripVTControlCharacters } from 'node:util';
import { type FieldProblem, fieldProblem } from './details.ts';

/** Rules for names. Slugs are case-sensitive; stored email addresses are lower-case. */

const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const WORKSPACE_SLUG_MAX = 63;
const SLUG_MAX = 120;
const NAME_MAX = 255;
const EMAIL_MAX = 254;
/**
 * The browsers' rule (https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address) for all languages'
 * letters (RFC 6531).
 */
const EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,62}(?:\.[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,62})*$/u;

/** Returns the fault, or null, as do the functions below. */
export function workspaceSlugProblem(slug: string): FieldProblem | null {
  return nameProblem('slug', slug, WORKSPACE_SLUG_MAX);
}

/** Also of heartbeats and rotas. */
export function slugProblem(slug: string): FieldProblem | null {
  return nameProblem('slug', slug, SLUG_MAX);
}

/** Channels of a key, or of a command that subscribes a device. */
const MOST_CHANNELS_NAMED = 100;

export function channelsProblem(field: string, channels: readonly string[]): FieldProblem | null {
  if (channels.length <= MOST_CHANNELS_NAMED) return null;
  return fieldProblem(field, 'max_entries', { most: MOST_CHANNELS_NAMED });
}

export function planNameProblem(name: string): FieldProblem | null {
  return nameProblem('name', name, WORKSPACE_SLUG_MAX);
}

/**
 * Returns the stored form of a display name, without control characters, line breaks and marks that turn text around.
 */
export function displayName(name: string): string {
  const printable = stripVTControlCharacters(name);
  return printable.replaceAll(/[\t-\r\u0085\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '');
}

export function displayNameProblem(given: string): FieldProblem | null {
  return textProblem('name', displayName(given), NAME_MAX);
}

/** `most`: Unicode characters. */
export function textProblem(field: string, text: string, most: number): FieldProblem | null {
  if (text.trim() === '') return fieldProblem(field, 'not_blank');
  return [...text].length > most ? fieldProblem(field, 'max_length', { most }) : null;
}

export function emailProblem(email: string): FieldProblem | null {
  return email.length <= EMAIL_MAX && EMAIL.test(email) ? null : fieldProblem('email', 'email_form', { email });
}

/** Returns the stored and compared form. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase();
}

function nameProblem(field: 'slug' | 'name', name: string, most: number): FieldProblem | null {
  return SLUG.test(name) && name.length <= most ? null : fieldProblem(field, 'name_form', { name, most });
}
