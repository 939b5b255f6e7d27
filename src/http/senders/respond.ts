import type { SenderBody } from '../../contract/senders/format.ts';
import type { HttpResponse } from '../response.ts';

/** 200, with a text as it is and anything else as JSON. */
export function respondWith(body: SenderBody, headers: HttpResponse['headers'] = {}): HttpResponse {
  if (typeof body !== 'string') return { status: 200, body, headers };
  return { status: 200, body: Buffer.from(body), headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' } };
}
