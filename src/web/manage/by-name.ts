import { locale } from '../format/locale.ts';

const NAMES = new Intl.Collator(locale, { numeric: true });

/** The order of names for people: `Service 2` before `Service 10`. */
export function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return NAMES.compare(one.name, other.name);
}
