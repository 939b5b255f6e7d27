import type { Translation } from '../../translation.ts';
import type { translateError as english } from '../translate-error.ts';

/** Translations load with the first error. Without them or the code, it stays English. */
export const translateError: Translation<typeof english> = async ([detail, ...more], sentence) => {
  const errors = await import('./server/errors.ts').catch(() => null);
  const german = detail && errors?.inGerman(detail);
  if (!german) return sentence;
  return more.length === 0 ? german : `${german} (und ${more.length} weitere)`;
};
