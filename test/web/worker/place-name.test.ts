import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { placeName } from '../../../src/web/worker/notification.ts';

const PLACE = { workspace: 'acme', channel: 'db' };
const named = (kept: Readonly<Record<string, unknown>>) => placeName(PLACE, async (address) => kept[address]);

test('A notification names its channel as people do, and its workspace if they have several', async () => {
  const channels = { '/channel-names/acme': { db: 'Databases' } };
  const two = { '/workspace-names': { acme: 'Acme', beta: 'Beta' } };
  assert.is(await named({}), null);
  assert.is(await named(channels), 'Databases');
  assert.is(await named({ ...channels, '/workspace-names': { acme: 'Acme' } }), 'Databases');
  assert.is(await named({ ...channels, ...two }), 'Databases · Acme');
  assert.is(await named(two), 'db · Acme');
  assert.is(await named({ '/workspace-names': { beta: 'Beta', gamma: 'Gamma' } }), 'db · acme');
  assert.is(await named({ '/channel-names/acme': { db: 1 }, '/workspace-names': 'text' }), null);
});

test.run();
