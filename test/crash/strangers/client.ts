import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../../support/until.ts';

/** An answered request. `startMs`: of the first try; `atMs`: of the answer. By `performance.now()`. */
export interface Answered {
  readonly body: Readonly<Record<string, unknown>>;
  readonly startMs: number;
  readonly atMs: number;
}

export interface Posted {
  readonly publicId: string;
  readonly startMs: number;
  readonly atMs: number;
}

const ANSWER_MS = 6_000;
const AGAIN_MS = 200;

/** A client of the API that retries until a server has answered, as any would. */
export class Client {
  readonly #url: string;
  readonly #bearer: string;

  constructor(url: string, bearer: string) {
    this.#url = url;
    this.#bearer = bearer;
  }

  async request(method: string, path: string, body?: Readonly<Record<string, unknown>>): Promise<Answered> {
    const startMs = performance.now();
    for (;;) {
      const answer = await this.#try(method, path, body);
      if (answer !== null) return { body: answer, startMs, atMs: performance.now() };
      await pause(AGAIN_MS);
    }
  }

  /** Posts an event once, whatever happens to the first tries. */
  async post(event: Readonly<Record<string, unknown>>): Promise<Posted> {
    const keyed = { title: 'Disk full', ...event, idempotency_key: randomUUID() };
    const { body, startMs, atMs } = await this.request('POST', '/api/v1/events', keyed);
    return { publicId: (body.event as { public_id: string }).public_id, startMs, atMs };
  }

  /** null: not answered, or refused for now. */
  async #try(
    method: string,
    path: string,
    body?: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>> | null> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#bearer}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (!answer || text === null || text === undefined || answer.status >= 500 || answer.status === 429) return null;
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text.startsWith('{') ? (JSON.parse(text) as Readonly<Record<string, unknown>>) : {};
  }
}

/** Repeats a call of the socket until it is answered. */
export async function answered<T>(what: string, call: () => Promise<T>): Promise<T> {
  const results: T[] = [];
  await until(`${what} is answered`, () =>
    call().then(
      (result) => results.push(result) > 0,
      () => false,
    ),
  );
  return results[0] as T;
}

/** Waits, or until `signal`. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => {});
}
