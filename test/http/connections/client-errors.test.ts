import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Api, exchangeBytes, withApi } from '../../support/http.ts';
import { until } from '../../support/until.ts';

/** Long enough for what is sent at once, on a busy machine. */
const IMPATIENT = { headersMs: 2_000, requestMs: 2_500, keepAliveMs: 65_000, unreadMs: 120_000, checkMs: 50 };
const POST = 'HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Request-Id: r1\r\n';

/** The lines of requests, each as `route status`. */
function linesOf({ log }: Api): readonly string[] {
  const lines = log().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).flatMap(({ route, status }) => (status ? `${route} ${status}` : []));
}

test('a request that ends below the routes has one line in the log, with the status that was answered', () =>
  withApi(
    async (api) => {
      const key = `Authorization: Bearer ${api.key}\r\n`;
      const cases = [
        [`POST /api/v1/events ${POST}${key}Content-Length: 100\r\n\r\n{`, 408, '/api/v1/events 408'],
        [`POST /api/v1/session ${POST}Content-Length: 100\r\n\r\n{`, 408, '/api/v1/session 408'],
        [`POST /api/v1/events ${POST}${key}Transfer-Encoding: chunked\r\n\r\nno\r\n`, 400, '/api/v1/events 400'],
        ['GET /healthz HTTP/1.1\r\nHost:', 408, 'null 408'],
        ['nonsense\r\n\r\n', 400, 'null 400'],
      ] as const;
      const answered = cases.map(async ([request, status, line]) => {
        assert.match(await exchangeBytes(api.http.url, request), `HTTP/1.1 ${status} `, line);
      });
      await Promise.all(answered);
      await until('a line for each', () => linesOf(api).length >= cases.length || linesOf(api).length);
      await new Promise(setImmediate);
      assert.equal([...linesOf(api)].sort(), cases.map(([, , line]) => line).sort());
    },
    { timeouts: IMPATIENT },
  ));

test.run();
