const LOCALE = 'en';

const WHOLE = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const RULES = new Intl.PluralRules(LOCALE);

/** `1,284`. */
export function whole(value: number): string {
  return WHOLE.format(value);
}

/** The form of a word that fits a count. */
export function plural(count: number, one: string, other: string): string {
  return RULES.select(count) === 'one' ? one : other;
}
