import { common } from '../texts/common.ts';
import { refusalOf } from './refusal.ts';

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
