import { ApiError } from '../../src/http/errors.ts';
import type { SignInLimits } from '../../src/http/limits/sign-in-limits.ts';

export const MINUTE_MS = 60_000;
export const wrong = () => Promise.resolve(null);
export const right = () => Promise.resolve('in');

/** Answers `wrong`, `right`, or the code of the refusal. */
export async function tryPassword(
  limits: SignInLimits,
  from: string,
  nowMs = 0,
  guess: () => Promise<string | null> = wrong,
) {
  const [network = '', email = ''] = from.split(' ');
  try {
    return (await limits.password({ networks: [network], email }, nowMs, guess)) === null ? 'wrong' : 'right';
  } catch (error) {
    return error instanceof ApiError ? error.code : String(error);
  }
}

export async function howManyTries(limits: SignInLimits, from: (at: number) => string): Promise<number> {
  for (let at = 0; ; at += 1) if ((await tryPassword(limits, from(at))) !== 'wrong') return at;
}
