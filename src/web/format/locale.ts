import { language } from '../texts/language.ts';

const REGION = 'region';
const TIME_ZONE = 'time-zone';

/**
 * How dates and numbers are written: in the language of the texts, as "3 min ago" stands within them, and in the manner
 * of a region. That is the browser's, unless another was chosen in the settings of this browser.
 */
export const locale = localeOf(language, kept(REGION) ?? globalThis.navigator?.language ?? language);

/** Undefined: the browser's. */
export const timeZone = known(kept(TIME_ZONE));

/** `''`: as the browser has it. What is shown is drawn anew. */
export function choose(what: 'region' | 'time-zone', value: string): void {
  if (value === '') localStorage.removeItem(what);
  else localStorage.setItem(what, value);
  location.reload();
}

/** What was chosen; `''`: nothing. */
export function chosen(what: 'region' | 'time-zone'): string {
  return kept(what) ?? '';
}

/** A language as it is written in the region of a locale: `en-GB`, `de-DE`, or `US` alone. */
export function localeOf(language: string, of: string): string {
  try {
    const region = /^[A-Z]{2}$/.test(of) ? of : new Intl.Locale(of).maximize().region;
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    return language;
  }
}

/** A browser may have forgotten a time zone that it knew when it was chosen. */
function known(zone: string | null): string | undefined {
  if (zone === null) return undefined;
  try {
    return new Intl.DateTimeFormat(language, { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Tests have no browser around them. */
function kept(name: string): string | null {
  return typeof localStorage === 'undefined' ? null : localStorage.getItem(name);
}
