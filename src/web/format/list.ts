import { language } from '../texts/format.ts';

const LIST = new Intl.ListFormat(language);

/** Joins words: `posts and reads`. */
export function listed(words: readonly string[]): string {
  return LIST.format(words);
}
