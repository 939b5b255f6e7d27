import { finished } from 'node:stream';
import { queryReader } from '../query.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

/** nginx would hold back what it buffers (https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering). */
const HEADERS = { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' };

export function streamRoutes({ authenticate, streams }: Service) {
  const read = queryReader('openStream');
  return {
    async openStream(context) {
      const person = await authenticate(context);
      const { lastEventId: from } = read(context);
      if (context.method === 'HEAD') return { status: 200, headers: HEADERS };
      // A reconnecting browser sends the header to its original address.
      const lastId = context.get('Last-Event-ID') || from;
      const stream = streams.admit(person);
      finished(context.res, () => streams.close(stream));
      return { status: 200, headers: HEADERS, stream: (response) => streams.open(stream, response, lastId) };
    },
  } satisfies Routes;
}
