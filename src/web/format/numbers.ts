import { language } from '../texts/format.ts';
import { locale } from './locale.ts';

const WHOLE = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
const RULES = new Intl.PluralRules(language);

/** Formats a whole number: `1,284`. */
export function whole(value: number): string {
  return WHOLE.format(value);
}

/** Returns the word's form for a count. */
export function plural(count: number, singular: string, pluralForm: string): string {
  return RULES.select(count) === 'one' ? singular : pluralForm;
}
