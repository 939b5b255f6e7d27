import type { Context } from '../request-state.ts';
import type { WebFiles } from './files.ts';

/** In which the app keeps the language that the user chose. */
const COOKIE = 'language';
/** The language for browsers that accept no other. */
const FIRST = 'en';
const PAGE = /^\/index\.(\w+)\.html$/;

/** Whether this is the address of the app's page in some language, which no browser asks for by that address. */
export function isPage(address: string): boolean {
  return PAGE.test(address);
}

/** The languages that the app was built in, the first one first. */
export function languagesIn(files: WebFiles): readonly string[] {
  const built = [...files.keys()].flatMap((address) => PAGE.exec(address)?.[1] ?? []);
  return built.sort((a, b) => Number(b === FIRST) - Number(a === FIRST));
}

/** The language of the page for a request: the one that the user chose, else the best of those that the browser takes. */
export function languageFor(context: Context, languages: readonly string[]): string {
  const chosen = context.cookies.get(COOKIE);
  if (chosen !== undefined && languages.includes(chosen)) return chosen;
  return context.acceptsLanguages([...languages]) || FIRST;
}

export function pageIn(language: string): string {
  return `/index.${language}.html`;
}
