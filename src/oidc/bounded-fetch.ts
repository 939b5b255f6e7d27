import type { CustomFetchOptions } from 'openid-client';
import { BoundExceeded, sendRequest } from '../process/bounded-request.ts';

/** A provider's configuration, keys and tokens have some KiB. */
const BOUNDS = { withinMs: 10_000, mostBytes: 262_144 };
/** Nothing inflates a response. */
const IDENTITY = { 'accept-encoding': 'identity' };

/** Fetches for openid-client within all bounds. Rejects like `fetch`. */
export async function boundedFetch(url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> {
  const sent = body instanceof URLSearchParams ? body.toString() : (body as string | undefined);
  try {
    return asResponse(await sendRequest(url, { method, headers: { ...IDENTITY, ...headers }, body: sent, ...BOUNDS }));
  } catch (cause) {
    if (cause instanceof BoundExceeded && cause.code === 'ETIMEDOUT') throw new DOMException('', 'TimeoutError');
    throw new TypeError('fetch failed', { cause });
  }
}

function asResponse({ status, headers, body }: Awaited<ReturnType<typeof sendRequest>>): Response {
  const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Response(body.length === 0 ? null : new Uint8Array(body), { status, headers: named });
}
