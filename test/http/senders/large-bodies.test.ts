import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../src/http/errors.ts';
import { InFlight } from '../../../src/http/limits/in-flight.ts';
import type { Context } from '../../../src/http/request-state.ts';
import { LargeBodies } from '../../../src/http/senders/large-bodies.ts';
import type { KeyRecord } from '../../../src/store/calls.ts';
import { aNotification, anAlert, type SenderScene, withSender } from '../../support/senders.ts';
import { untilIs } from '../../support/until.ts';

const MANY = { limits: { burstPerMinute: 1_000 } };
const LARGE = 4 * 1_048_576;

/** As many alerts as fill so many bytes, or fewer. */
function notificationOf(bytes: number): { body: string; alerts: number } {
  const one = JSON.stringify(anAlert({ labels: { alertname: 'Down', instance: '000000', severity: 'critical' } }));
  const alerts = Math.floor((bytes - 1_000) / (one.length + 1));
  const each = Array.from({ length: alerts }, (_, at) => one.replace('000000', String(at).padStart(6, '0')));
  return { body: JSON.stringify(aNotification()).replace(/\[.*?\}\]/, `[${each.join(',')}]`), alerts };
}

function poster({ api, key }: SenderScene, path = '/senders/alertmanager/alerts') {
  return (body: string | Buffer, headers = {}) => api.request(path, { method: 'POST', key: key(), body, headers });
}

test('notifications of up to 4 MiB are taken, compressed or not, and larger ones refused', () =>
  withSender(MANY, async (scene) => {
    for (const path of ['/senders/alertmanager/alerts', '/senders/grafana/alerts']) {
      const post = poster(scene, path);
      const { body, alerts } = notificationOf(LARGE);
      assert.ok(alerts > 4_000 && body.length > LARGE - 2_000);
      for (const [sent, headers] of [
        [body, {}],
        [gzipSync(body), { 'Content-Encoding': 'gzip' }],
      ] as const) {
        const reply = await post(sent, headers);
        assert.equal([reply.status, reply.headers['pushctl-shortened']], [200, 'description, alerts']);
        assert.is((reply.body.event as { status: string }).status, 'queued');
        assert.is(scene.last().title, `[FIRING:${alerts}] InstanceDown`);
        assert.match(scene.last().description ?? '', /db-1 is down \(000000/);
      }
      const padded = body + ' '.repeat(LARGE - body.length);
      assert.is((await post(padded)).status, 200);
      assert.is((await post(`${padded} `)).status, 413);
      assert.is((await post(gzipSync(`${padded} `), { 'Content-Encoding': 'gzip' })).status, 413);
    }
  }));

test('labels beyond the 64th are left out, and the answer says so', () =>
  withSender(MANY, async (scene) => {
    const labels = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`label${at}`, 'x']));
    const { headers } = await poster(scene)(JSON.stringify(aNotification({ alerts: [anAlert({ labels })] })));
    assert.is(headers['pushctl-shortened'], 'labels');
  }));

test('what inflates to far more than was sent is refused, and so is what holds more values than anybody sends', () =>
  withSender(MANY, async (scene) => {
    const post = poster(scene);
    const gzip = { 'Content-Encoding': 'gzip' };
    const dense = await post(gzipSync(`{"alerts":[],"x":"${'x'.repeat(2_000_000)}"}`), gzip);
    assert.equal([dense.status, dense.body.message], [413, 'The body inflates to far more than was sent.']);
    const many = await post(`{"alerts":[${'{},'.repeat(1_390_000)}{}]}`);
    assert.equal([many.status, many.body.message], [413, 'The body holds too many values.']);
    assert.is((await post(Buffer.from('nonsense'), gzip)).status, 400);
    assert.is((await post(notificationOf(200_000).body)).status, 200);
  }));

test('a key has one large body at a time, and a workspace four; small ones are read beside them', () =>
  withSender(MANY, async ({ api, key }) => {
    const { body } = notificationOf(100_000);
    const address = `${api.http.url}/senders/alertmanager/alerts`;
    const headers = { Authorization: `Bearer ${key()}`, 'Content-Length': body.length, Expect: '100-continue' };
    const large = Array.from({ length: 4 }, () => httpRequest(address, { method: 'POST', agent: false, headers }));
    // The server asks for a body when it begins to read it.
    let asked = 0;
    let answered = 0;
    const exchanges = large.map(async (request) => {
      request.flushHeaders();
      await once(request, 'continue');
      asked += 1;
      assert.is(asked, 1 + answered);
      const post = (text: string) =>
        api.request('/senders/alertmanager/alerts', { method: 'POST', key: key(), body: text });
      if (asked === 1) {
        const { status, headers } = await post(body);
        assert.equal([status, headers['retry-after']], [503, '1']);
        assert.is((await post('x')).status, 200);
      }
      answered += 1;
      request.end(body);
      const [response] = await once(request, 'response');
      assert.is(response.statusCode, 200);
      response.resume();
    });
    await Promise.all(exchanges);
    assert.is(asked, 4);
  }));

const GREEDY = new URL(`../../support/greedy-reader${extname(import.meta.url)}`, import.meta.url);

/** What becomes of a body: whether it was read, or the code that it was refused with. */
async function outcome(bodies: LargeBodies, body: string): Promise<string> {
  const req = Object.assign(Readable.from([Buffer.from(body)]), { headers: {} });
  const state = { inFlight: new InFlight(10), isInFlight: false };
  const key = { id: 'key', workspaceId: 1 } as KeyRecord;
  const context = { req, state, params: {} } as unknown as Context;
  const read = bodies.publication(context, key, { format: 'alertmanager', path: '/{channel}' });
  return read.then(
    () => 'read',
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
}

test('a body that takes too long or too much memory loses its thread, and the next one has another', async () => {
  const bodies = new LargeBodies({ worker: GREEDY, deadlineMs: 20_000 });
  assert.is(await outcome(bodies, 'eat'), 'payload_too_large');
  assert.is(await outcome(bodies, 'fine'), 'read');
  const hurried = new LargeBodies({ worker: GREEDY, deadlineMs: 1_000 });
  const both = [outcome(hurried, 'hang'), outcome(bodies, 'fine')];
  assert.equal(await Promise.all(both), ['payload_too_large', 'read']);
  await untilIs('the thread to have ended', () => hurried.threads, 0);
});

test('there is no thread before one is needed, nor after a while without a body', async () => {
  const bodies = new LargeBodies({ worker: GREEDY, idleMs: 1 });
  assert.is(bodies.threads, 0);
  assert.is(await outcome(bodies, 'fine'), 'read');
  await untilIs('the thread to have ended', () => bodies.threads, 0);
});

test.run();
