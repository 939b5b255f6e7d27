import { language } from '../texts/language.ts';

export const REGION = 'region';
export const TIME_ZONE = 'time-zone';

/**
 * How dates and numbers are written: in the language of the texts, as "3 min ago" stands within them, and in the manner
 * of a region. That is the browser's, unless another was chosen in the settings of this browser.
 */
export const locale = localeOf(language, kept(REGION) ?? globalThis.navigator?.language ?? language);

/** Undefined: the browser's. */
export const timeZone = known(kept(TIME_ZONE));

/** A language as it is written in the region of a locale: `en-GB`, `de-DE`, or `und-US`. */
export function localeOf(language: string, of: string): string {
  try {
    const { region = '' } = new Intl.Locale(of).maximize();
    return new Intl.Locale(language, { region }).baseName;
  } catch {
    return language;
  }
}

/** A browser may have forgotten a time zone that it knew when it was chosen. */
function known(zone: string | null): string | undefined {
  if (zone === null) return undefined;
  try {
    new Intl.DateTimeFormat(language, { timeZone: zone });
    return zone;
  } catch {
    return undefined;
  }
}

/** Tests have no browser around them. */
function kept(name: string): string | null {
  return typeof localStorage === 'undefined' ? null : localStorage.getItem(name);
}
