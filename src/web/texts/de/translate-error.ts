import type { Translation } from '../../translation.ts';
import type { translateError as english } from '../translate-error.ts';

/** Translates an error. The translations are loaded with the first error; if that fails, the error stays in English. */
export const translateError: Translation<typeof english> = (sentence) =>
  import('./server/errors.ts').then(
    ({ inGerman }) => inGerman(sentence),
    () => sentence,
  );
