import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { acknowledge } from '../../../src/web/worker/taps.ts';
import { ORIGIN, startWorker } from './start-worker.ts';

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
  assert.is(await acknowledge({ alert_id: ID }, ask), 'done');
  assert.is(await acknowledge({ alert_id: ID, open_alerts: 5 }, ask), 'done');
  assert.equal(
    asked.map(({ url, init }) => [url, init?.method, init?.body]),
    [
      [`/api/v1/events/${ID}/acknowledge`, 'POST', '{"all":false}'],
      [`/api/v1/events/${ID}/acknowledge`, 'POST', '{"all":true}'],
    ],
  );
});

test('Data that names no alert asks nothing', async () => {
  const { asked, ask } = answering(200);
  for (const data of [null, {}, { alert_id: '../../session' }, { alert_id: 1 }])
    assert.is(await acknowledge(data, ask), 'refused');
  assert.equal(asked, []);
});

const { timeout } = AbortSignal;
test.after.each(() => {
  AbortSignal.timeout = timeout;
});

const ALERT = {
  notification: {
    title: 'Disk full',
    tag: 'disk',
    actions: [{ action: 'acknowledge', title: 'Acknowledge' }],
    data: { alert_id: ID, event_id: ID, channel: 'alerts', delivery_urgency: 'time_sensitive' },
  },
};

/** A worker that shows an alert. `answer`: to a request; undefined: none until the worker gives up. */
async function alerted(answer: (path: string) => number | undefined) {
  const deadlines: number[] = [];
  AbortSignal.timeout = (ms) => {
    deadlines.push(ms);
    return AbortSignal.abort(new DOMException('too late', 'TimeoutError'));
  };
  const worker = startWorker({
    server: (path, options) => {
      const status = answer(path);
      if (status !== undefined) return new Response('{}', { status });
      return new Promise((_, reject) => options?.signal?.aborted && reject(options.signal.reason));
    },
  });
  await worker.push(ALERT);
  const press = async () => {
    const [notification] = worker.shown;
    await worker.fire('notificationclick', { action: 'acknowledge', notification });
  };
  return { ...worker, deadlines, press, tap: () => worker.keptUnder(`/taps/${ID}`) as { all: boolean } | null };
}

test('If the server does not answer within five seconds, the alert is shown and heard again, and its tap is kept until it is made', async () => {
  let status: number | undefined;
  const { shown, opened, deadlines, press, tap } = await alerted((path) =>
    path.endsWith('/acknowledge') ? status : 200,
  );
  const words = 'Not acknowledged: the server does not answer.';
  for (const time of ['the first time', 'again']) {
    await press();
    assert.equal([...new Set(deadlines)], [5_000]);
    assert.is(shown.length, 1, time);
    const [{ title, body, tag, renotify, data, ...others } = { title: '' }] = shown;
    assert.equal([title, body, tag, renotify], ['Disk full', `${words}\nalerts · urgent`, 'disk', true]);
    assert.is((data as { alert_id?: string }).alert_id, ID);
    assert.is((others as { actions?: unknown[] }).actions?.length, 1);
    assert.is(tap()?.all, false);
  }
  status = 200;
  await press();
  assert.equal([shown, opened, tap()], [[], [], null]);
});

test("A server error opens the alert's page to make the kept tap; a refusal keeps none", async () => {
  for (const [status, isKept] of [
    [500, true],
    [503, true],
    [401, false],
    [404, false],
  ] as const) {
    const { shown, opened, press, tap } = await alerted(() => status);
    await press();
    assert.equal([shown, opened], [[], [`${ORIGIN}/events/${ID}`]], String(status));
    assert.is(tap() !== null, isKept, String(status));
  }
});

test.run();
