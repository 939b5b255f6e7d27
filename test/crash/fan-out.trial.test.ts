import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { IN_FLIGHT_A_THREAD } from '../../src/delivery/limits.ts';
import { importAll } from '../bench/fixture.ts';
import { Resources } from '../support/resources.ts';
import { issueToken } from '../support/sandbox/tokens.ts';
import { until, untilIs } from '../support/until.ts';
import { machines, openIn } from './nodes.ts';
import { sizeFrom } from './size-from.ts';

/** Enough for each machine to have pages of it out, and many behind them; `FAN_OUT=100000` for as many as there may be. */
const DEVICES = sizeFrom('FAN_OUT', 10_000);
/** Two of three machines are lost on the way, each until its lease is over. */
const WITHIN_MS = 60_000 + DEVICES * 12;

test('Each of very many devices gets its push, even if one machine is killed and another is frozen amid it', async () => {
  await using opened = new Resources();
  const cluster = await machines(opened, ['one', 'two', 'three']);
  const { arrivals } = cluster;
  const [living, killed, frozen = killed] = cluster.all;
  const team = await cluster.teamOn(living);
  const devices = Array.from({ length: DEVICES }, () => {
    return { platform: 'ios', token: issueToken({ platform: 'ios' }), subscribe: ['alerts'] } as const;
  });
  await importAll(team.store, devices);

  const startMs = performance.now();
  const { body } = await team.post();
  assert.is(body.event.target_device_count, DEVICES);
  await until('a fifth has arrived', () => arrivals.total > DEVICES / 5 || arrivals.total, WITHIN_MS);
  await killed.process.end('SIGKILL');
  await until('two fifths have', () => arrivals.total > (2 * DEVICES) / 5 || arrivals.total, WITHIN_MS);
  frozen.process.freeze();
  await untilIs('all is at its end', () => openIn(cluster), 0, WITHIN_MS);
  const tookS = (performance.now() - startMs) / 1_000;
  frozen.process.thaw();

  const { event, deliveries } = await team.read(body.event.public_id);
  assert.is(deliveries.accepted, DEVICES, 'each is counted once');
  assert.is(devices.filter(({ token }) => arrivals.copies(event.public_id, token) === 0).length, 0, 'none is lost');
  assert.ok(arrivals.duplicates <= 2 * IN_FLIGHT_A_THREAD.standard, `${arrivals.duplicates} sent twice`);
  process.stdout.write(`\n${DEVICES} devices in ${tookS.toFixed(0)} s, ${arrivals.duplicates} sent twice\n`);
});

test.run();
