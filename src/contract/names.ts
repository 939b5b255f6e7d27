/** Rules for names. Slugs are case-sensitive, email addresses are stored in lower case. */

/** What is wrong with the field that is named; the message is a full sentence. */
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
const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const EMAIL_MAX = 254;

/** Each of these returns a full sentence that says what is wrong, or null. */
export function workspaceSlugProblem(slug: string): string | null {
  return slugProblem('workspace slug', slug, WORKSPACE_SLUG_MAX);
}

export function channelSlugProblem(slug: string): string | null {
  return slugProblem('channel slug', slug, CHANNEL_SLUG_MAX);
}

export function planNameProblem(name: string): string | null {
  return slugProblem('plan name', name, WORKSPACE_SLUG_MAX);
}

/** The rule for display names: of workspaces, channels, keys, members and devices. */
export function displayNameProblem(name: string): string | null {
  if (name.trim() === '') return 'The name must not be blank.';
  if ([...name].length > NAME_MAX) return `The name must not be greater than ${NAME_MAX} characters.`;
  return null;
}

export function emailProblem(email: string): string | null {
  if (EMAIL.test(email) && email.length <= EMAIL_MAX) return null;
  return `"${email}" is not an email address.`;
}

/** The form in which an address is stored and compared. */
export function canonicalEmail(email: string): string {
  return email.trim().toLowerCase();
}

function slugProblem(what: string, slug: string, max: number): string | null {
  if (SLUG.test(slug) && slug.length <= max) return null;
  const rule = `1 to ${max} letters, digits, dots, hyphens and underscores, the first a letter or digit`;
  return `"${slug}" is not a ${what}: it must be ${rule}.`;
}
