import { locale } from './locale.ts';

/** Sorts like people: `Service 2` before `Service 10`. */
export const byName = new Intl.Collator(locale, { numeric: true }).compare;
