import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { IN_FLIGHT_A_THREAD } from '../../src/delivery/limits.ts';
import { Opened } from '../support/opened.ts';
import { until } from '../support/until.ts';
import { type Machine, type Machines, machines, nodesCalled, openIn } from './nodes.ts';

const DEVICES = 60;
const EVENTS = 40;
/** So long that a good part is on its way at any time. */
const PROVIDER_MS = 400;
/** What a node with one delivery thread may have out of a lane. */
const OUT = IN_FLIGHT_A_THREAD.standard;

test('A node that was frozen beyond its lease sends not one push when it goes on: the others have sent them all', async () => {
  await using opened = new Opened();
  const cluster = await machines(opened, ['one', 'two']);
  const { arrivals, sandbox } = cluster;
  const [living, frozen] = cluster.all;
  const team = await cluster.teamOn(living);
  for (let n = 0; n < DEVICES; n += 1) await team.addDevice(sandbox, { platform: 'ios' });
  sandbox.behave({ match: {}, answer: { kind: 'accept', afterMs: PROVIDER_MS } });
  const postAll = () => Promise.all(Array.from({ length: EVENTS }, () => team.post()));
  await postAll();
  await until('both have some on their way', async () => (await pagesOut(cluster, frozen)) > 0 && arrivals.total > 0);
  frozen.process.freeze();
  await until('it is taken for dead', async () => (await nodesCalled(cluster, frozen.name)).length === 0);
  await until('the other has sent all', async () => (await openIn(cluster)) === 0);
  assert.is(arrivals.total - arrivals.duplicates, DEVICES * EVENTS, 'each push has arrived');
  assert.ok(arrivals.duplicates <= OUT, `${arrivals.duplicates} pushes sent twice`);
  const { total } = arrivals;
  frozen.process.thaw();
  await until('it has joined anew', async () => (await nodesCalled(cluster, frozen.name)).length === 1);
  await postAll();
  await until('all is sent', async () => (await openIn(cluster)) === 0);
  assert.is(arrivals.total - total, DEVICES * EVENTS, 'nothing of what it had out was sent again');
});

test.run();

async function pagesOut({ rows }: Machines, { name }: Machine): Promise<number> {
  const found = await rows(`SELECT 1 FROM claim JOIN node ON node.id = node_id WHERE name = '${name}'`);
  return found.length;
}
