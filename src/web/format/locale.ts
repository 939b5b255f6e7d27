import { language } from '../texts/format.ts';

export const REGION = 'region';
export const TIME_ZONE = 'time-zone';

/**
 * The locale of dates and numbers: the texts' language, since "3 min ago" is within them, in a region's style. The
 * region is the user's choice, else the browser's.
 */
export const locale = localeOf(language, kept(REGION) ?? globalThis.navigator?.language ?? language);

/** The chosen time zone; undefined: the browser's. */
export const timeZone = known(kept(TIME_ZONE));

/** Returns a language in a locale's region: `en-GB`, `de-DE`, or `und-US`. */
export function localeOf(language: string, of: string): string {
  try {
    const { region = '' } = new Intl.Locale(of).maximize();
    return new Intl.Locale(language, { region }).baseName;
  } catch {
    return language;
  }
}

/** Sorts like people: `Service 2` before `Service 10`. */
export const byName = new Intl.Collator(locale, { numeric: true }).compare;

const LIST = new Intl.ListFormat(language);

/** Joins words: `posts and reads`. */
export function listed(words: readonly string[]): string {
  return LIST.format(words);
}

/** Returns the time zone if known: browsers may drop a chosen one. */
function known(zone: string | null): string | undefined {
  if (zone === null) return undefined;
  try {
    new Intl.DateTimeFormat(language, { timeZone: zone });
    return zone;
  } catch {
    return undefined;
  }
}

/** Returns a stored setting. Tests have no browser. */
function kept(name: string): string | null {
  return typeof localStorage === 'undefined' ? null : localStorage.getItem(name);
}
