/** The languages by their own names. Texts are in `texts/`; the server sends the app in one. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** The cookie by which the server chooses. */
const COOKIE = 'language';
const YEAR_S = 31_536_000;

/** Returns the chosen language; null: the browser's. */
export function chosenLanguage(): Language | null {
  const values = document.cookie.split('; ').filter((pair) => pair.startsWith(`${COOKIE}=`));
  const chosen = values[0]?.slice(COOKIE.length + 1);
  return chosen !== undefined && chosen in LANGUAGES ? (chosen as Language) : null;
}

export function chooseLanguage(language: Language | null): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  const life = language === null ? 0 : YEAR_S;
  // biome-ignore lint/suspicious/noDocumentCookie: half of the browsers have no Cookie Store.
  document.cookie = `${COOKIE}=${language ?? ''}; Path=/; SameSite=Lax; Max-Age=${life}${secure}`;
}

/** Renews the cookie: some browsers keep script-set cookies for a week only. */
export function keepChosenLanguage(): void {
  const language = chosenLanguage();
  if (language !== null) chooseLanguage(language);
}
