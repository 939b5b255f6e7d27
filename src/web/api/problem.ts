import { common } from '../texts/common.ts';
import { said } from '../texts/said.ts';

/** Why something could not be had or done. */
export interface Problem {
  readonly kind: 'offline' | 'away' | 'signed-out' | 'confirm' | 'missing' | 'refused';
  /** What happened and what to do, in sentences for people. */
  readonly message: string;
  /** By field, where the server found some wrong. */
  readonly fields: Readonly<Record<string, string>>;
}

export type Answer<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly problem: Problem };

/** Awaits a response of the API. Never rejects: what went wrong is data. */
export async function answerOf<T>(coming: Promise<Response>): Promise<Answer<T>> {
  try {
    const response = await coming;
    const text = await response.text();
    // An answer that is no JSON is not ours: a proxy speaks for a server that is away.
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return response.ok ? { ok: true, data: body as T } : { ok: false, problem: await problemOf(response, body) };
  } catch {
    return { ok: false, problem: unreachable(globalThis.navigator?.onLine === false ? 'offline' : 'away') };
  }
}

/** Also what the user wanted to do may have failed by it, which nothing does again by itself. */
function unreachable(kind: 'offline' | 'away'): Problem {
  return { kind, message: common.problems.unreachable, fields: {} };
}

async function problemOf({ status, headers }: Response, error: unknown): Promise<Problem> {
  const { message: sentence, code, errors = {} } = (error ?? {}) as ErrorBody;
  const message = sentence === undefined ? common.problems.refused : await said(sentence);
  const saidOf = Object.entries(errors).map(async ([field, [first = '']]) => [field, await said(first)] as const);
  const fields = Object.fromEntries(await Promise.all(saidOf));
  if (code === 'not_signed_in') return { kind: 'signed-out', message: common.problems.signedOut, fields };
  // What a proxy says while the server behind it restarts.
  if (status === 502 || status === 503 || status === 504) return unreachable('away');
  const retryAfterS = Number(headers.get('Retry-After') ?? 0);
  return {
    kind: code === 'confirm_identity' ? 'confirm' : status === 404 ? 'missing' : 'refused',
    message: retryAfterS > 0 ? `${message} ${common.problems.waitS(retryAfterS)}` : message,
    fields,
  };
}

interface ErrorBody {
  readonly message?: string;
  readonly code?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}
