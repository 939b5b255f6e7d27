import type { Translation } from '../../translation.ts';
import type { translateError as english } from '../translate-error.ts';

/** Translates an error. Translations load with the first; failing that, it stays English. */
export const translateError: Translation<typeof english> = (sentence) =>
  import('./server/errors.ts').then(
    ({ inGerman }) => inGerman(sentence),
    () => sentence,
  );
