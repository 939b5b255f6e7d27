import { stripVTControlCharacters } from 'node:util';

/** Rules for names. Slugs are case-sensitive; stored email addresses are lower-case. */

/** A field's fault in a full sentence. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export function fieldProblem(field: string, message: string | null): FieldProblem | null {
  return message === null ? null : { field, message };
}

const SLUG = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const WORKSPACE_SLUG_MAX = 63;
const CHANNEL_SLUG_MAX = 120;
const NAME_MAX = 255;
const EMAIL_MAX = 254;
/**
 * The browsers' rule (https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address) for all languages'
 * letters (RFC 6531).
 */
const EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,62}(?:\.[\p{L}\p{N}][\p{L}\p{M}\p{N}-]{0,62})*$/u;

/** Returns the fault in a full sentence, or null, as do the functions below. */
export function workspaceSlugProblem(slug: string): string | null {
  return slugProblem('workspace slug', slug, WORKSPACE_SLUG_MAX);
}

export function channelSlugProblem(slug: string): string | null {
  return slugProblem('channel slug', slug, CHANNEL_SLUG_MAX);
}

/** Channels of a key, or of a command that subscribes a device. */
const MOST_CHANNELS_NAMED = 100;

export function channelsProblem(field: string, channels: readonly string[]): FieldProblem | null {
  if (channels.length <= MOST_CHANNELS_NAMED) return null;
  return { field, message: `The ${field} field must not name more than ${MOST_CHANNELS_NAMED} channels.` };
}

export function heartbeatSlugProblem(slug: string): string | null {
  return slugProblem('heartbeat slug', slug, CHANNEL_SLUG_MAX);
}

export function rotaSlugProblem(slug: string): string | null {
  return slugProblem('rota slug', slug, CHANNEL_SLUG_MAX);
}

export function planNameProblem(name: string): string | null {
  return slugProblem('plan name', name, WORKSPACE_SLUG_MAX);
}

/**
 * Returns the stored form of a display name, without control characters, line breaks and marks that turn text around.
 */
export function displayName(name: string): string {
  const printable = stripVTControlCharacters(name);
  return printable.replaceAll(/[\t-\r\u0085\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '');
}

export function displayNameProblem(given: string): string | null {
  const name = displayName(given);
  if (name.trim() === '') return 'The name must not be blank.';
  if ([...name].length > NAME_MAX) return `The name must not be greater than ${NAME_MAX} characters.`;
  return null;
}

export function emailProblem(email: string): string | null {
  if (email.length <= EMAIL_MAX && EMAIL.test(email)) return null;
  return `"${email}" is not an email address.`;
}

/** Returns the stored and compared form. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase();
}

function slugProblem(what: string, slug: string, max: number): string | null {
  if (SLUG.test(slug) && slug.length <= max) return null;
  const rule = `1 to ${max} letters, digits, dots, hyphens and underscores, the first a letter or digit`;
  return `"${slug}" is not a ${what}: it must be ${rule}.`;
}
