import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { extname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../../src/http/errors.ts';
import { LargeBodies } from '../../../src/http/senders/large-bodies.ts';
import { packagePath } from '../../../src/process/package.ts';
import type { KeyRecord } from '../../../src/store/calls.ts';
import { aNotification, anAlert, aRequest, type SenderScene, withSender } from '../../support/senders.ts';
import { until, untilIs } from '../../support/until.ts';

const MANY = { limits: { burstPerMinute: 1_000 } };
const LARGE = 4 * 1_048_576;

/** Returns as many alerts as fill so many bytes, or fewer. */
function notificationOf(bytes: number): { body: string; alerts: number } {
  const alert = JSON.stringify(anAlert({ labels: { alertname: 'Down', instance: '000000', severity: 'critical' } }));
  const alerts = Math.floor((bytes - 1_000) / (alert.length + 1));
  const alertTexts = Array.from({ length: alerts }, (_, at) => alert.replace('000000', String(at).padStart(6, '0')));
  return { body: JSON.stringify(aNotification()).replace(/\[.*?\}\]/, `[${alertTexts.join(',')}]`), alerts };
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

const NOISE = randomBytes(10_000).toString('base64');
/** Proxmox VE's Gotify report with its log, and what Alertmanager's PagerDuty receiver makes of 400 alerts. */
const REPORT = {
  title: 'backup failed',
  message: `\`\`\`\nDetails\n${'100: INFO: 5% (1.2 GiB of 32.0 GiB)\n'.repeat(3_800)}\`\`\``,
  priority: 9,
  extras: { 'client::display': { contentType: 'text/markdown' } },
};
const ALERTS = {
  event_action: 'trigger',
  dedup_key: 'd1',
  payload: { summary: 'Disks', severity: 'critical', custom_details: { firing: 'DiskFull on db-1\n'.repeat(6_000) } },
};

test('a large body of any sender is shortened, with the key, the query and the fields beside it, and answered as a small one', () =>
  withSender(MANY, async ({ api, key, last }) => {
    const long = 'Restarted again\n'.repeat(10_000);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const cases: readonly (readonly [path: string, body: object | string, title: string, headers?: object])[] = [
      [`/senders/gotify/message?token=${key('gtfya.')}`, REPORT, 'backup failed'],
      ['/senders/pagerduty/v2/enqueue', { routing_key: key(), ...ALERTS }, 'Disks'],
      ['/senders/pagerduty/v2/enqueue', { ...ALERTS, dedup_key: 'd2' }, 'Disks', { 'X-Routing-Key': key() }],
      ['/senders/ntfy', { topic: 'alerts', title: 'Log', message: long }, 'Log', { Authorization: `Bearer ${key()}` }],
      ['/senders/ntfy/alerts', long, 'Log', { Authorization: `Bearer ${key()}`, Title: 'Log' }],
      [`/senders/json/alerts?title={what}&description={log}&token=${key()}`, { what: 'Job', log: long }, 'Job'],
      [`/senders/slack/${key()}`, { text: `Jobs\n${long}` }, 'Jobs'],
      [
        `/senders/slack/${key()}`,
        `payload=${encodeURIComponent(JSON.stringify({ text: `Form\n${long}` }))}`,
        'Form',
        form,
      ],
    ];
    for (const [path, body, title, headers = {}] of cases) {
      const isForm = headers === form;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      // A body compressed more than a hundredfold is refused.
      const noisy = text.startsWith('{') ? `${text.slice(0, -1)},"noise":"${NOISE}"}` : text + (isForm ? '' : NOISE);
      const compressed = [gzipSync(noisy), { 'Content-Encoding': 'gzip' }] as const;
      for (const [sent, encoded] of [[text, {}] as const, ...(isForm ? [] : [compressed])]) {
        const reply = await api.request(path, { method: 'POST', body: sent, headers: { ...headers, ...encoded } });
        assert.equal([reply.status, last().title], [path.includes('pagerduty') ? 202 : 200, title], path);
        assert.match(String(reply.headers['pushctl-shortened']), /^description/, path);
        assert.ok(reply.text.length < 10_000, path);
      }
      const tooLarge = await api.request(path, { method: 'POST', key: key(), body: ' '.repeat(LARGE + 1) });
      assert.is(tooLarge.status, 413, path);
    }
  }));

test('the nginx configuration that comes with pushctl lets the largest body pass', () => {
  const [, megabytes] =
    /client_max_body_size (\d+)m;/.exec(readFileSync(packagePath('systemd', 'proxies', 'nginx.conf'), 'utf8')) ?? [];
  assert.is(Number(megabytes) * 1_048_576, LARGE);
});

test('a body of 4 MiB from an unproven network needs its key in the header', () =>
  withSender(MANY, async ({ api, key, accepted }) => {
    const post = async (keyed: object, headers: Record<string, string> = {}) => {
      const body = JSON.stringify({ ...ALERTS, ...keyed, noise: '' });
      const padded = body.replace('"noise":"', `$&${'x'.repeat(LARGE - body.length)}`);
      return (await api.request('/senders/pagerduty/v2/enqueue', { method: 'POST', body: padded, headers })).status;
    };
    assert.is(await post({ routing_key: key() }), 503);
    assert.is(accepted.length, 0);
    assert.is(await post({}, { 'X-Routing-Key': key() }), 202);
  }));

test('a large body with the key in an inner field is refused, as is one without a good key', () =>
  withSender(MANY, async ({ api, key, accepted }) => {
    const post = (body: object) => api.request('/senders/pagerduty/v2/enqueue', { method: 'POST', body });
    for (const body of [
      { ...ALERTS, client: { routing_key: key() } },
      { ...ALERTS, routing_key: 'pctl_nobody' },
    ]) {
      assert.is((await post(body)).status, 401);
    }
    assert.is(accepted.length, 0);
  }));

test('labels beyond the 64th are left out, and the answer says so', () =>
  withSender(MANY, async (scene) => {
    const labels = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`label${at}`, 'x']));
    const { headers } = await poster(scene)(JSON.stringify(aNotification({ alerts: [anAlert({ labels })] })));
    assert.is(headers['pushctl-shortened'], 'labels');
  }));

test('a body that inflates to far more than its size is rejected, and the first of endless values are read', () =>
  withSender(MANY, async (scene) => {
    const post = poster(scene);
    const gzip = { 'Content-Encoding': 'gzip' };
    const dense = await post(gzipSync(`{"alerts":[],"x":"${'x'.repeat(2_000_000)}"}`), gzip);
    assert.equal([dense.status, dense.body.message], [413, 'The body is far too large after decompression.']);
    const many = await post(`{"alerts":[${'{},'.repeat(1_390_000)}{}]}`);
    assert.equal([many.status, many.headers['pushctl-shortened']], [200, 'alerts']);
    assert.is((await post(Buffer.from('nonsense'), gzip)).status, 400);
    assert.is((await post(notificationOf(200_000).body)).status, 200);
  }));

test('large bodies that do not finish take no place for parsing', () =>
  withSender(MANY, async ({ api, key }) => {
    const { body } = notificationOf(100_000);
    const address = `${api.http.url}/senders/alertmanager/alerts`;
    const headers = { Authorization: `Bearer ${key()}`, 'Content-Length': body.length, Expect: '100-continue' };
    const unfinished = Array.from({ length: 20 }, () =>
      httpRequest(address, { method: 'POST', agent: false, headers }),
    );
    for (const request of unfinished) {
      request.on('error', () => undefined).flushHeaders();
      // The server asks for a body when it begins to receive it.
      await once(request, 'continue');
      request.write(body.slice(0, -1));
    }
    await until('most of them to have come', () => api.bodies.bytes > 20 * 65_536 || api.bodies.bytes);
    const { status } = await api.request('/senders/alertmanager/alerts', { method: 'POST', key: key(), body });
    assert.is(status, 200);
    const [first, ...others] = unfinished;
    const answer = first && once(first, 'response');
    first?.end(body.slice(-1));
    const [response] = (await answer) ?? [];
    assert.is(response.statusCode, 200);
    response.resume();
    for (const request of others) request.destroy();
    await untilIs('no body to be held', () => api.bodies.bytes, 0);
  }));

const GREEDY = new URL(`../../support/greedy-reader${extname(import.meta.url)}`, import.meta.url);

/** The outcome of a body: whether it was read, or the code of its refusal. */
async function outcome(bodies: LargeBodies, body: string, id = 'key'): Promise<string> {
  const bytes = Buffer.from(body);
  const received = { isLarge: true, bytes, isGzip: false, beginning: bytes } as const;
  const key = { id, workspaceId: 1 } as KeyRecord;
  const place = { format: 'alertmanager', path: '/{channel}' } as const;
  const read = bodies.publication(received, { ...aRequest(), headers: {} }, key, place);
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

test('half as many bodies of a key wait to be parsed as of a workspace', async () => {
  const bodies = new LargeBodies({ worker: GREEDY, deadlineMs: 20_000, perWorkspace: 4 });
  const keys = ['one', 'one', 'one', 'two', 'two', 'three'];
  const outcomes = await Promise.all(keys.map((id) => outcome(bodies, 'fine', id)));
  assert.equal(outcomes, ['read', 'read', 'overloaded', 'read', 'read', 'overloaded']);
});

test('there is no thread before one is needed, nor after a while without a body', async () => {
  const bodies = new LargeBodies({ worker: GREEDY, idleMs: 1 });
  assert.is(bodies.threads, 0);
  assert.is(await outcome(bodies, 'fine'), 'read');
  await untilIs('the thread to have ended', () => bodies.threads, 0);
});

test.run();
