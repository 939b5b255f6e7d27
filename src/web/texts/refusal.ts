import { plural, whole } from '../format/numbers.ts';

export const texts = {
  refused: 'The server refused this and did not say why. Try again, or check its log.',
  signedOut: 'You are signed out. Sign in again to continue.',
  waitS: (seconds: number) => `Try again in ${whole(seconds)} ${plural(seconds, 'second', 'seconds')}.`,
} as const;
