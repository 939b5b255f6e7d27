import { locale } from './locale.ts';

/** The order of names for people: `Service 2` before `Service 10`. */
export const byName = new Intl.Collator(locale, { numeric: true }).compare;
