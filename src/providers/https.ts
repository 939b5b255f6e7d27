import { request } from 'node:https';
import { MAX_ANSWER_BYTES, TOO_LONG } from './client.ts';

/** How long one question outside of sending may take. */
export const PROBE_DEADLINE_MS = 10_000;

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** PEM of a CA to trust instead of the system's. */
  readonly ca?: string | undefined;
}

export interface ShortAnswer {
  readonly status: number;
  readonly date: string | undefined;
  readonly body: string;
}

/** One request on a connection of its own. Rejects when no whole answer of sensible size came within the deadline. */
export async function ask(url: string | URL, { method, headers = {}, body, ca }: Question): Promise<ShortAnswer> {
  const signal = AbortSignal.timeout(PROBE_DEADLINE_MS);
  const { promise, resolve, reject } = Promise.withResolvers<ShortAnswer>();
  const asking = request(url, { method, headers, agent: false, signal, ...(ca !== undefined && { ca }) });
  asking.once('error', reject);
  asking.once('response', async (response) => {
    try {
      let text = '';
      response.setEncoding('utf8');
      for await (const chunk of response) {
        text += chunk;
        if (text.length > MAX_ANSWER_BYTES) throw new Error(TOO_LONG);
      }
      resolve({ status: response.statusCode ?? 0, date: response.headers.date, body: text });
    } catch (error) {
      asking.destroy();
      reject(error);
    }
  });
  asking.end(body);
  return promise;
}

/** A `Date` header as Unix ms; null where there is none to read. */
export function timeIn(date: string | undefined): number | null {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? null : ms;
}
