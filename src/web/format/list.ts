import { language } from '../texts/language.ts';

const LIST = new Intl.ListFormat(language);

/** Joins words as a sentence does: `posts and reads`. */
export function listed(words: readonly string[]): string {
  return LIST.format(words);
}
