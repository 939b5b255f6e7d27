import type { Translation } from '../../translation.ts';
import type { said as english } from '../said.ts';

/** Loaded with the first error; where it cannot be had, the error stays as the server says it. */
export const said: Translation<typeof english> = (sentence) =>
  import('./server/errors.ts').then(
    ({ inGerman }) => inGerman(sentence),
    () => sentence,
  );
