import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { IN_FLIGHT_A_THREAD } from '../../src/delivery/limits.ts';
import { Opened } from '../support/opened.ts';
import { until } from '../support/until.ts';
import { type Machine, type Machines, machines, nodesCalled, openIn } from './nodes.ts';

const DEVICES = 60;
const EVENTS = 25;
/** So long that a good part is on its way at any time. */
const PROVIDER_MS = 2_000;
/** What a node with one delivery thread may have out of a lane. */
const OUT = IN_FLIGHT_A_THREAD.standard;

test('What a killed node had out is sent by the others, and a node that leaves hands over without a repeat', async () => {
  await using opened = new Opened();
  const cluster = await machines(opened, ['one', 'two', 'three']);
  const { arrivals, sandbox } = cluster;
  const [living, killed, leaving = killed] = cluster.all;
  const team = await cluster.teamOn(living);
  for (let n = 0; n < DEVICES; n += 1) await team.addDevice(sandbox, { platform: 'ios' });
  sandbox.behave({ match: {}, answer: { kind: 'accept', afterMs: PROVIDER_MS } });
  const postAll = async () => {
    const { total } = arrivals;
    await Promise.all(Array.from({ length: EVENTS }, () => team.post()));
    await until('pushes go out', () => arrivals.total > total || arrivals.total);
  };

  await postAll();
  await until('it has some out', async () => (await pagesOut(cluster, leaving)) > 0 || pagesOut(cluster, leaving));
  assert.is(await leaving.process.end('SIGTERM'), 0);
  assert.equal(await nodesCalled(cluster, leaving.name), [], 'it has left');
  await until('the others have sent all', async () => (await openIn(cluster)) === 0 || openIn(cluster));
  assert.is(arrivals.total, DEVICES * EVENTS);
  assert.is(arrivals.duplicates, 0);

  await postAll();
  await until('it has some out', async () => (await pagesOut(cluster, killed)) > 0 || pagesOut(cluster, killed));
  await killed.process.end('SIGKILL');
  await until('the other has sent all', async () => (await openIn(cluster)) === 0 || openIn(cluster));
  assert.is(arrivals.total - arrivals.duplicates, 2 * DEVICES * EVENTS, 'each push has arrived');
  assert.ok(arrivals.duplicates <= OUT, `${arrivals.duplicates} pushes sent twice`);
});

test.run();

async function pagesOut({ rows }: Machines, { name }: Machine): Promise<number> {
  const found = await rows(`SELECT 1 FROM claim JOIN node ON node.id = node_id WHERE name = '${name}'`);
  return found.length;
}
