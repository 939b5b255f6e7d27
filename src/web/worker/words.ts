import { texts as de } from '../texts/de/worker.ts';
import { texts as en } from '../texts/worker.ts';
import { filled } from '../translation.ts';
import type { Words } from './notification.ts';
import { keptLanguage } from './shell-cache.ts';

const WORDS: Readonly<Record<string, Words>> = { en, de: filled(de, en) as Words };

/** In the language of the app here. There is one worker for all languages, so it brings what it says in each. */
export async function wordsHere(): Promise<Words> {
  const language = await keptLanguage().catch(() => 'en');
  return WORDS[language] ?? en;
}
