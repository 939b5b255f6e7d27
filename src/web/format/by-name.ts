import { locale } from './locale.ts';

/** Compares names the way people sort them: `Service 2` before `Service 10`. */
export const byName = new Intl.Collator(locale, { numeric: true }).compare;
