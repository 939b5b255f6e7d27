import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_KINDS } from '../../src/contract/webhooks.ts';
import { serverProcess } from '../crash/server-process.ts';
import { temporaryFolder } from '../support/folder.ts';
import { temporarySchema } from '../support/postgres.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { aSandbox } from '../support/sandbox.ts';
import { aTeam, type Env, serverEnv } from '../support/server.ts';
import { until, untilIs } from '../support/until.ts';
import { aReceiver, type Receiver } from '../support/webhook-receiver.ts';

const test = suite('server: webhooks');
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const MANY = 100;
/** How long a server that died has the endpoint for itself: `busy_until`. */
const BUSY_MS = 60_000;

test('A server that is killed after a commit and before its message was taken sends it after the next start', async () => {
  await using opened = new Resources();
  const receiver = opened.add(await aReceiver());
  const env = await envFor(opened, receiver);
  const first = serverProcess(opened, env);
  const team = await aTeam(env, await first.url);
  const id = await hook(team, receiver);
  receiver.answer = () => {};
  const publicId = await openAlert(team);
  await untilIs('the first try', () => receiver.received.length, 1);
  await first.end('SIGKILL');
  await team.close().catch(() => {});
  receiver.answer = (response) => response.writeHead(204).end();
  const second = serverProcess(opened, env);
  const again = opened.add(await aTeam(env, await second.url));
  await until('the same message', () => receiver.received.length > 1 || receiver.received.length, BUSY_MS);
  const [lost, found] = receiver.received;
  assert.is(found?.headers['webhook-id'], lost?.headers['webhook-id']);
  assert.match(found?.body ?? '', publicId);
  await until('its end', async () => granted(await again.store.showWebhook({ workspace: 'acme', id })).waiting === 0);
});

test('Two servers over PostgreSQL deliver each message once, and the other delivers what a killed server has taken', async () => {
  await using opened = new Resources();
  const receiver = opened.add(await aReceiver());
  const common = await envFor(opened, receiver, { PUSHCTL_STORE_URL: await temporarySchema() });
  const node = (name: string): Env => ({ ...common, PUSHCTL_DATA_DIR: temporaryFolder(), PUSHCTL_STORE_NODE: name });
  const [firstNode, secondNode] = [node('one'), node('two')];
  const first = serverProcess(opened, firstNode);
  const second = serverProcess(opened, secondNode);
  const team = await aTeam(firstNode, await first.url);
  const last = opened.add(await aTeam(secondNode, await second.url));
  const id = await hook(last, receiver);
  for (let n = 0; n < MANY; n += 1) granted(await team.store.testWebhook({ workspace: 'acme', id }));
  const waiting = async () => granted(await last.store.showWebhook({ workspace: 'acme', id })).waiting;
  await untilIs('all of them', () => waiting(), 0);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal([ids.length, new Set(ids).size], [MANY, MANY]);

  receiver.answer = () => {};
  await openAlert(team);
  await untilIs('the try of either', () => receiver.received.length, MANY + 1);
  receiver.answer = (response) => response.writeHead(204).end();
  await first.end('SIGKILL');
  await team.close().catch(() => {});
  await untilIs('it was taken', () => waiting(), 0, BUSY_MS);
  const tries = receiver.received.slice(MANY).map(({ headers }) => headers['webhook-id']);
  assert.is(new Set(tries).size, 1, 'it is the same message, no matter which server sends it');
});

test.run();

type Team = Awaited<ReturnType<typeof aTeam>>;

async function envFor(opened: Resources, receiver: Receiver, more: Env = {}): Promise<Env> {
  const caFile = join(temporaryFolder(), 'ca.pem');
  writeFileSync(caFile, receiver.ca);
  const sandbox = opened.add(await aSandbox());
  return serverEnv(sandbox, { PUSHCTL_WEBHOOKS_ALLOW_PRIVATE: 'true', PUSHCTL_WEBHOOKS_CA_FILE: caFile, ...more });
}

async function hook({ store }: Team, { url }: Receiver): Promise<string> {
  return granted(await store.createWebhook({ workspace: 'acme', url, kinds: DEFAULT_KINDS, secret: SECRET })).id;
}

async function openAlert(team: Team): Promise<string> {
  const insist = { repeat: 60, until: 3_000 };
  granted(await team.store.updateChannel({ workspace: 'acme', slug: 'alerts', insist }));
  const { body } = await team.post({ level: 'error', delivery_urgency: 'time_sensitive' });
  return body.event.public_id;
}
