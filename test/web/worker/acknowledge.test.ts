import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { acknowledge, alertPage } from '../../../src/web/worker/acknowledge.ts';

const ID = 'evt_01m7y7qp55ea087ggd7fpjkv29';

function answering(status: number | null) {
  const asked: { url: string; init: RequestInit | undefined }[] = [];
  const ask = async (url: unknown, init?: RequestInit) => {
    asked.push({ url: String(url), init });
    if (status === null) throw new TypeError('no network');
    return new Response('{}', { status });
  };
  return { asked, ask: ask as typeof fetch };
}

test('The button acknowledges the alert of its notification, and a bundle with all that it is of', async () => {
  const { asked, ask } = answering(200);
  assert.ok(await acknowledge({ alert_id: ID }, ask));
  assert.ok(await acknowledge({ alert_id: ID, open_alerts: 5 }, ask));
  assert.equal(
    asked.map(({ url, init }) => [url, init?.method, init?.body]),
    [
      [`/api/v1/events/${ID}/acknowledge`, 'POST', '{"all":false}'],
      [`/api/v1/events/${ID}/acknowledge`, 'POST', '{"all":true}'],
    ],
  );
});

test('Signed out, refused or offline, it leads to the page of the alert', async () => {
  for (const status of [401, 403, 404, 503, null])
    assert.not(await acknowledge({ alert_id: ID }, answering(status).ask));
  assert.equal(alertPage({ alert_id: ID, navigate: 'https://elsewhere.example' }), { navigate: `/events/${ID}` });
});

test('Data that names no alert asks nothing', async () => {
  const { asked, ask } = answering(200);
  for (const data of [null, {}, { alert_id: '../../session' }, { alert_id: 1 }])
    assert.not(await acknowledge(data, ask));
  assert.equal(asked, []);
});

test.run();
