import { texts } from '../texts/browser-name.ts';

/** Browsers in order of precedence: most name others as well, to pass for them. */
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

/**
 * Returns for example `Firefox on Linux`. Other programs are named by the first word of their user agent:
 * `Pushctl/2.1`.
 */
export function browserName(userAgent: string): string {
  const browser = nameIn(BROWSERS, userAgent) ?? userAgent.split(' ', 1)[0] ?? '';
  const system = nameIn(SYSTEMS, userAgent);
  return system === undefined ? browser : texts.on(browser, system);
}

function nameIn(known: readonly (readonly [string, RegExp])[], text: string): string | undefined {
  return known.find(([, pattern]) => pattern.test(text))?.[0];
}
