import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_KINDS } from '../../../src/contract/webhooks.ts';
import { systemAfter, systemClock } from '../../../src/process/clock.ts';
import { createLog } from '../../../src/server/log.ts';
import { WebhookSender } from '../../../src/server/webhooks/sender.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { granted } from '../../support/refusals.ts';
import { Resources } from '../../support/resources.ts';
import { storeHere } from '../../support/store-here.ts';
import { until, untilIs } from '../../support/until.ts';
import { valuesOf } from '../../support/values-of.ts';
import { aReceiver, type Receiver } from '../../support/webhook-receiver.ts';
import { aWorkspace } from '../../support/workspace.ts';

const test = suite('webhooks of a server');
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

test('the events of an alert reach a receiver in order, and their texts reach no log', () =>
  withSender(async ({ scene, receiver, log }) => {
    const { store, acme, hook } = scene;
    const id = await hook('acme', receiver.url);
    const insist = { repeat: 60, until: 3_000 };
    granted(await store.updateChannel({ workspace: 'acme', slug: 'alerts', insist }));
    const event = { urgency: 'time_sensitive', level: 'error', title: 'a secret title' } as const;
    const { event: posted } = await acme.accept(event);
    granted(await store.acknowledgeAlert({ publicId: posted.public_id }));
    granted(await store.resolveAlert({ publicId: posted.public_id }));
    await untilIs('all of it', () => receiver.received.length, 3);
    const bodies = receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: { title: string } });
    assert.equal(valuesOf(bodies, 'type'), ['alert.opened', 'alert.acknowledged', 'alert.resolved']);
    assert.ok(bodies.every(({ data }) => data.title === 'a secret title'));
    assert.is(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 3);
    await until(
      'the last one to be settled',
      async () => granted(await store.showWebhook({ workspace: 'acme', id })).waiting === 0,
    );
    assert.not.match(log(), 'a secret title');
    assert.not.match(log(), SECRET);
  }));

test('endpoints of one workspace that hang hold up none of another', () =>
  withSender(async ({ scene, receiver }) => {
    const { store, hook } = scene;
    await aWorkspace(store, { workspace: 'other', owner: null });
    receiver.answer = (response, { path }) => {
      if (path === '/other') response.writeHead(204).end();
    };
    const slow = await Promise.all(Array.from({ length: 5 }, () => hook('acme', receiver.url)));
    for (const id of slow) for (let n = 0; n < 20; n += 1) granted(await store.testWebhook({ workspace: 'acme', id }));
    await untilIs('those that hang', () => receiver.received.length, 5);
    const id = await hook('other', receiver.url.replace('/in', '/other'));
    for (let n = 0; n < 30; n += 1) granted(await store.testWebhook({ workspace: 'other', id }));
    const others = () => receiver.received.filter(({ path }) => path === '/other').length;
    await untilIs('all of the other', () => others(), 30);
    assert.is(receiver.received.length - others(), 5, 'one at a time for each endpoint');
  }));

test('a receiver that fails gets the same message again, and what is disabled is logged', () =>
  withSender(async ({ scene, receiver, log }) => {
    const { store, hook } = scene;
    const id = await hook('acme', receiver.url);
    receiver.answer = (response) => response.writeHead(receiver.received.length === 1 ? 503 : 410).end();
    granted(await store.testWebhook({ workspace: 'acme', id }));
    await until(
      'the end',
      async () => granted(await store.showWebhook({ workspace: 'acme', id })).status === 'disabled',
    );
    const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.is(first, second);
    assert.match(log(), '"reason":"http_503"');
    assert.match(log(), '"reason":"gone"');
    const entries = granted(await store.listAudit({ workspace: 'acme', action: 'webhook.disable', limit: 5 })).entries;
    assert.equal(valuesOf(entries, 'object'), [`${id}: gone`]);
  }));

test('a stop breaks off what is on its way, and that is no failure of its receiver', () =>
  withSender(async ({ scene, receiver, sent, stop }) => {
    const { store, hook } = scene;
    const id = await hook('acme', receiver.url);
    let isBrokenOff = false;
    receiver.answer = (response) => {
      response.once('close', () => {
        isBrokenOff = true;
      });
    };
    granted(await store.testWebhook({ workspace: 'acme', id }));
    await until('it to come', () => receiver.received.length === 1);
    stop();
    await until('its end', () => isBrokenOff);
    assert.equal(sent, []);
    const { failing_since, waiting } = granted(await store.showWebhook({ workspace: 'acme', id }));
    assert.equal([failing_since, waiting], [null, 1]);
  }));

test.run();

interface Scene {
  readonly store: ReturnType<typeof storeHere>;
  readonly acme: Awaited<ReturnType<typeof aWorkspace>>;
  hook(workspace: string, url: string): Promise<string>;
}

async function withSender(
  use: (parts: {
    scene: Scene;
    receiver: Receiver;
    log: () => string;
    sent: readonly string[];
    stop: () => void;
  }) => Promise<void>,
): Promise<void> {
  await using opened = new Resources();
  const receiver = opened.add(await aReceiver());
  const store = opened.add(storeHere(dataFolder()));
  const acme = await aWorkspace(store, { owner: null });
  const lines: string[] = [];
  const sent: string[] = [];
  // The service may not read the file itself, but root's copy of it.
  const copy = join(temporaryFolder(), 'webhooks.ca_file');
  writeFileSync(copy, receiver.ca);
  const caFile = '/nowhere/ca.pem';
  const sender = new WebhookSender({
    store,
    config: { webhooks: { allowPrivate: true, caFile }, handedOver: { [caFile]: copy } },
    clock: systemClock(),
    after: systemAfter,
    log: createLog('debug', { write: (line) => lines.push(line) }),
    onSent: (outcome) => sent.push(outcome),
  });
  opened.onEnd(() => sender.stop());
  sender.start();
  const hook: Scene['hook'] = async (workspace, url) =>
    granted(await store.createWebhook({ workspace, url, kinds: DEFAULT_KINDS, secret: SECRET })).id;
  await use({ scene: { store, acme, hook }, receiver, log: () => lines.join(''), sent, stop: () => sender.stop() });
}
