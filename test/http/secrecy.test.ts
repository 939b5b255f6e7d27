import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StoreUnavailable } from '../../src/store/calls.ts';
import { type Api, exchangeBytes, withApi } from '../support/http.ts';

/** Stands wherever a client can put something of its own. */
const MARK = 'hush7';

async function sayItEverywhere(api: Api): Promise<void> {
  const links = {
    url: `https://example.com/${MARK}`,
    image_url: `https://example.com/${MARK}.png`,
    data: { [MARK]: MARK },
  };
  const texts = { title: `title ${MARK}`, description: MARK, event_type: MARK, idempotency_key: MARK };
  const headers = {
    'X-Anything': MARK,
    Cookie: `session=${MARK}`,
    'X-Request-Id': `{${MARK}}`,
    'User-Agent': MARK,
    'Idempotency-Key': MARK,
  };
  await api.post({ channel: 'alerts', ...texts, ...links }, { headers });
  await api.post({ channel: MARK, ...texts, ...links });
  await api.post({ channel: 'alerts', ...texts, data: { [MARK]: 1 } });
  await api.post({ channel: 'alerts', ...texts, url: MARK, icon: MARK, api_key: MARK });
  await api.post(`{"${MARK}": ${MARK}`);
  await api.post(Buffer.from(MARK), { headers: { 'Content-Encoding': 'gzip' } });
  await api.post({ channel: 'alerts', title: MARK.repeat(20_000) });
  await api.post({}, { key: `pctl_${MARK}` });
  await api.request(`/api/v1/${MARK}?${MARK}=${MARK}`, { headers: { Authorization: `Bearer ${MARK}` } });
  await api.request(`/api/v1/events/${MARK}`, { key: api.key });
  await exchangeBytes(api.http.url, `${MARK}\r\n\r\n`);
  await exchangeBytes(api.http.url, `GET /${MARK} HTTP/1.1\r\nX-Long: ${MARK.repeat(10_000)}\r\n\r\n`);
  await exchangeBytes(api.http.url, `CONNECT ${MARK}:80 HTTP/1.1\r\nHost: ${MARK}\r\n\r\n`);
}

function assertNothingTold(api: Api): void {
  const log = api.log();
  assert.ok(log.split('\n').length > 10);
  assert.not.match(log, new RegExp(MARK, 'i'));
  assert.not.ok(log.includes(api.key.split('_')[2] ?? '?'), 'the secret of the key');
}

test('nothing that a client sends gets into the log', () =>
  withApi(async (api) => {
    await sayItEverywhere(api);
    assertNothingTold(api);
  }));

test('nor when things go wrong on our side', async () => {
  for (const error of [new Error(`cannot store ${MARK}`), new StoreUnavailable('no space left')]) {
    await withApi(
      async (api) => {
        await sayItEverywhere(api);
        assertNothingTold(api);
      },
      { store: { acceptEvent: () => Promise.reject(error), readEvent: () => Promise.reject(error) } },
    );
  }
});

test.run();
