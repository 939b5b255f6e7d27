import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { USER_AGENT } from '../../package.ts';

const DEADLINE_MS = 5_000;

/** The status that a server of this machine answers with; null: it does not. Its certificate is looked at elsewhere. */
export function httpStatus(url: URL): Promise<number | null> {
  return new Promise((resolve) => {
    const options = {
      agent: false,
      headers: { 'User-Agent': USER_AGENT },
      signal: AbortSignal.timeout(DEADLINE_MS),
      rejectUnauthorized: false,
    };
    const asking = url.protocol === 'https:' ? tlsRequest(url, options) : plainRequest(url, options);
    asking.once('error', () => resolve(null));
    asking.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    asking.end();
  });
}
