import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../support/cast.ts';
import { plainRequest } from '../support/plain-request.ts';
import { Resources } from '../support/resources.ts';
import { signIn } from '../support/sign-in.ts';
import { openStream } from '../support/stream.ts';
import { until } from '../support/until.ts';
import { machines } from './nodes.ts';

/** The others evict a killed node within this time. */
const EVICTED_MS = 13_000;

test('An open app reloads everything if a node is killed right after a post, before it could notify the others', async () => {
  await using opened = new Resources();
  const cluster = await machines(opened, ['one', 'two', 'three']);
  const [killed, , living = killed] = cluster.all;
  const team = await cluster.teamOn(living);
  const url = await living.process.url;
  const app = await openStream(url, { key: await signIn({ http: { url }, store: team.store }, ADA) });
  opened.onEnd(async () => app.close());
  const hears = async (kind: string, promiseMs?: number) => {
    const { length } = app.text();
    return () => until(kind, () => app.text().slice(length).includes(`"kind":"${kind}"`), promiseMs);
  };
  const post = async () => {
    const { status } = await plainRequest(`${await killed.process.url}/api/v1/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${team.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ channel: 'alerts', title: 'Disk full' }),
    });
    assert.is(status, 202);
  };

  const isNotified = await hears('inbox');
  await post();
  await isNotified();

  const isReloaded = await hears('everything', EVICTED_MS);
  await post();
  await killed.process.end('SIGKILL');
  await isReloaded();
});

test.run();
