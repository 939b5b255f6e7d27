import { language } from '../texts/language.ts';

export const REGION = 'region';
export const TIME_ZONE = 'time-zone';

/**
 * The locale of dates and numbers: the language of the texts, since "3 min ago" stands within them, in the style of a
 * region. The region is the browser's, unless the user chose another in the settings of this browser.
 */
export const locale = localeOf(language, kept(REGION) ?? globalThis.navigator?.language ?? language);

/** The chosen time zone; undefined: the browser's. */
export const timeZone = known(kept(TIME_ZONE));

/** Returns a language as it is written in the region of a locale: `en-GB`, `de-DE`, or `und-US`. */
export function localeOf(language: string, of: string): string {
  try {
    const { region = '' } = new Intl.Locale(of).maximize();
    return new Intl.Locale(language, { region }).baseName;
  } catch {
    return language;
  }
}

/** Returns the time zone if the browser knows it: a browser may have dropped one since the user chose it. */
function known(zone: string | null): string | undefined {
  if (zone === null) return undefined;
  try {
    new Intl.DateTimeFormat(language, { timeZone: zone });
    return zone;
  } catch {
    return undefined;
  }
}

/** Returns a stored setting. Tests run without a browser. */
function kept(name: string): string | null {
  return typeof localStorage === 'undefined' ? null : localStorage.getItem(name);
}
