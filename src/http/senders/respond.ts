import type { SenderBody } from '../../contract/senders/format.ts';
import type { HttpResponse } from '../response.ts';

/** With a text as it is and anything else as JSON. */
export function respondWith(body: SenderBody, headers: HttpResponse['headers'] = {}, status = 200): HttpResponse {
  if (typeof body !== 'string') return { status, body, headers };
  return { status, body: Buffer.from(body), headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' } };
}
