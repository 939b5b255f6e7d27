import { common, refusal as texts } from '../texts/common.ts';
import { translateError } from '../texts/translate-error.ts';
import type { Schema } from './client.ts';

export interface Problem {
  readonly kind: 'offline' | 'away' | 'signed-out' | 'confirm' | 'missing' | 'refused';
  /** Sentences for people: what happened and what to do. */
  readonly message: string;
  readonly code?: string | undefined;
  /** The server's errors by field. */
  readonly fields: Readonly<Record<string, string>>;
  /** No longer true once the server is back. */
  readonly isOfTrouble?: true;
  readonly retry?: () => unknown;
}

export type Answer<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly problem: Problem };

const AWAY = [502, 503, 504];

/** Awaits an API response. Never rejects: failures are data. */
export async function answerOf<T>(coming: Promise<Response>): Promise<Answer<T>> {
  try {
    const response = await coming;
    const text = await response.text();
    // Only a proxy without its server answers something else than JSON.
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return { ok: true, data: body as T };
    // A proxy's answer while the server restarts.
    if (AWAY.includes(response.status)) return { ok: false, problem: unreachable('away') };
    return { ok: false, problem: await refusalOf(response, body) };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    if (isLate) return { ok: false, problem: unreachable('away', common.problems.late) };
    return { ok: false, problem: unreachable(globalThis.navigator?.onLine === false ? 'offline' : 'away') };
  }
}

/** Returns an unreachable server's problem. Nothing is retried automatically. */
function unreachable(kind: 'offline' | 'away', message?: string): Problem {
  if (message !== undefined) return { kind, message, fields: {} };
  return { kind, message: common.problems.unreachable, fields: {}, isOfTrouble: true };
}

export async function partOf<T, Part>(coming: Promise<Answer<T>>, part: (data: T) => Part): Promise<Answer<Part>> {
  const answer = await coming;
  return answer.ok ? { ok: true, data: part(answer.data) } : answer;
}

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
