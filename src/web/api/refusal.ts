import { refusal as texts } from '../texts/common.ts';
import { translateError } from '../texts/translate-error.ts';
import type { Schema } from './client.ts';

interface Refusal {
  readonly kind: 'signed-out' | 'confirm' | 'missing' | 'refused';
  /** The API's code, for problems whose message depends on the user's act. */
  readonly code?: string | undefined;
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The second comes from routes that also take API keys, without a cookie. */
const SIGNED_OUT: readonly unknown[] = ['not_signed_in', 'unauthenticated'];

/** Returns the server's reason. */
export async function refusalOf({ status, headers }: Response, error: unknown): Promise<Refusal> {
  const { message: sentence, code, errors = {}, details = [] } = (error ?? {}) as ErrorBody;
  const message = sentence === undefined ? texts.refused : await translateError(details, sentence);
  const translatedErrors = Object.entries(errors).map(async ([name, [first = '']]) => {
    const ofField = details.filter(({ field }) => field === name).slice(0, 1);
    return [name, await translateError(ofField, first)] as const;
  });
  const fields = Object.fromEntries(await Promise.all(translatedErrors));
  if (SIGNED_OUT.includes(code)) return { kind: 'signed-out', message: texts.signedOut, fields };
  const retryAfterS = Number(headers.get('Retry-After') ?? 0);
  return {
    kind: code === 'confirm_identity' ? 'confirm' : status === 404 ? 'missing' : 'refused',
    code,
    message: retryAfterS > 0 ? `${message} ${texts.waitS(retryAfterS)}` : message,
    fields,
  };
}

interface ErrorBody {
  readonly message?: string;
  readonly code?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly details?: readonly Schema<'ErrorDetail'>[];
}
