import type { Context } from '../request-state.ts';
import type { WebFiles } from './files.ts';

const COOKIE = 'language';
/** The language for other browsers. */
const FIRST = 'en';
const PAGE = /^\/index\.(\w+)\.html$/;

/** Tells whether this is a page's language file, not requested directly. */
export function isPage(address: string): boolean {
  return PAGE.test(address);
}

export function languagesIn(files: WebFiles): readonly string[] {
  const built = [...files.keys()].flatMap((address) => PAGE.exec(address)?.[1] ?? []);
  return built.sort((a, b) => Number(b === FIRST) - Number(a === FIRST));
}

/** Returns the user's chosen language, else the best that the browser accepts. */
export function languageFor(context: Context, languages: readonly string[]): string {
  const chosen = context.cookies.get(COOKIE);
  if (chosen !== undefined && languages.includes(chosen)) return chosen;
  return context.acceptsLanguages([...languages]) || FIRST;
}

export function pageIn(language: string): string {
  return `/index.${language}.html`;
}
