import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startControl } from '../../src/sandbox/control.ts';
import type { Push } from '../../src/sandbox/journal.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { Opened } from '../support/opened.ts';
import { postApnsOnce } from '../support/vendor-clients.ts';

test('pushes stream to another process, those that came before first', async () => {
  await using opened = new Opened();
  const { sandbox, control } = await startBoth(opened);
  const push = () => postApnsOnce(sandbox, sandbox.apns.productionUrl, sandbox.token({ platform: 'ios' }));
  await push();
  await push();
  const response = await fetch(`${control.url}/pushes?after=1`);
  const lines = createInterface(Readable.fromWeb(response.body as ReadableStream))[Symbol.asyncIterator]();
  const next = async () => JSON.parse(String((await lines.next()).value)) as Push;
  assert.is((await next()).number, 2);
  await push();
  assert.is(JSON.stringify(await next()), JSON.stringify(sandbox.pushes[2]));
});

test('a token can be had, a behaviour set and taken back', async () => {
  await using opened = new Opened();
  const { sandbox, post, control } = await startBoth(opened);
  const made = await post('/tokens', { platform: 'ios', label: 'phone' });
  const { token } = (await made.json()) as { token: string };
  assert.is(token, sandbox.token({ platform: 'ios', label: 'phone' }));
  const status = async () => (await postApnsOnce(sandbox, sandbox.apns.productionUrl, token)).status;
  const rule = { match: { face: 'apns_production' }, answer: { kind: 'refuse', reason: 'Shutdown' } };
  assert.is((await post('/behaviours', rule)).status, 204);
  assert.is(await status(), 503);
  assert.is((await fetch(`${control.url}/behaviours`, { method: 'DELETE' })).status, 204);
  assert.is(await status(), 200);
  assert.equal(await (await fetch(`${control.url}/counts`)).json(), { accepted: 1, refused: 1 });
});

test('an outage can be made and ended', async () => {
  await using opened = new Opened();
  const { sandbox, post } = await startBoth(opened);
  const push = () => postApnsOnce(sandbox, sandbox.apns.sandboxUrl, token);
  const token = sandbox.token({ platform: 'ios', environment: 'sandbox' });
  assert.is((await post('/outages', { face: 'apns_sandbox', outage: 'refused' })).status, 204);
  const error = await push().catch((thrown: NodeJS.ErrnoException) => thrown.code);
  assert.is(error, 'ECONNREFUSED');
  await post('/outages', { face: 'apns_sandbox', outage: 'none' });
  assert.is((await push()).status, 200);
});

test('a wrong order is refused with the sentence that says why', async () => {
  await using opened = new Opened();
  const { post } = await startBoth(opened);
  const cases: [string, unknown, string][] = [
    ['/behaviours', {}, 'answer must be an object with a kind.'],
    ['/behaviours', { answer: { kind: 'refuse', reason: 'Nonsense' } }, 'must be a documented one'],
    ['/behaviours', { answer: { kind: 'alternate', answers: [] } }, 'must not be empty'],
    ['/behaviours', { answer: { kind: 'reset' }, times: 0 }, 'times must be a whole number above 0.'],
    ['/behaviours', { match: { face: 'web' }, answer: { kind: 'reset' } }, 'match.face must be one of'],
    ['/outages', { face: 'fcm', outage: 'total' }, 'outage must be one of'],
    ['/tokens', { platform: 'web' }, 'platform must be ios or android.'],
  ];
  for (const [path, order, sentence] of cases) {
    const response = await post(path, order);
    const { message } = (await response.json()) as { message: string };
    assert.is(response.status, 400, message);
    assert.ok(message.includes(sentence), message);
  }
  assert.is((await post('/nowhere', {})).status, 404);
});

async function startBoth(opened: Opened) {
  const sandbox = opened.add(await startSandbox());
  const control = opened.add(await startControl(sandbox, { port: 0, settings: null }));
  return {
    sandbox,
    control,
    post: (path: string, order: unknown) => fetch(control.url + path, { method: 'POST', body: JSON.stringify(order) }),
  };
}

test.run();
