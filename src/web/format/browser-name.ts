import { browser as texts } from '../texts/format.ts';

/** Browsers by precedence: most also name others to pass for them. */
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** Returns e.g. `Firefox on Linux`. Other programs: the user agent's first word (`Pushctl/2.1`). */
export function browserName(userAgent: string): string {
  const browser = nameIn(BROWSERS, userAgent) ?? userAgent.split(' ', 1)[0] ?? '';
  const system = nameIn(SYSTEMS, userAgent);
  return system === undefined ? browser : texts.on(browser, system);
}

function nameIn(known: readonly (readonly [string, RegExp])[], text: string): string | undefined {
  return known.find(([, pattern]) => pattern.test(text))?.[0];
}
