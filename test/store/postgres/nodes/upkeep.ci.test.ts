import * as assert from 'uvu/assert';
import type { Upkeep } from '../../../../src/store/upkeep.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { temporarySchema } from '../../../support/postgres.ts';
import { aNode, nodeTests } from '../../../support/postgres-nodes.ts';
import { until } from '../../../support/until.ts';

const test = nodeTests('what a node does by itself');

const LEASE_MS = 1_000;

test('A lease that cannot be renewed is reported once, and once more when it can', async () => {
  const reports: [Upkeep, string | null][] = [];
  const onTrouble = (what: Upkeep, reason: string | null) => void reports.push([what, reason]);
  const { store } = await aNode({ url: await temporarySchema(), leaseMs: LEASE_MS, onTrouble });
  const rename = (from: string, to: string) =>
    store.connections.lend(({ execute }) => execute(`ALTER FUNCTION ${from} RENAME TO ${to}`));
  await rename('beat_node', 'beat_none');
  await until('its lease is over', () => store.lease.isOver);
  await until('that is reported', () => reports.length > 0);
  await rename('beat_none', 'beat_node');
  await until('it is renewed', () => !store.lease.isOver);
  await until('that is reported', () => reports.length > 1 || reports.length);
  assertEach(reports, ([what, reason]) => [what, reason === null], [
    ['lease', false],
    ['lease', true],
  ]);
  assert.match(reports[0]?.[1] ?? '', 'beat_node');
});

test('A place of its own at which notices cannot be listened for is reported once', async () => {
  const reports: [Upkeep, string | null][] = [];
  const onTrouble = (what: Upkeep, reason: string | null) => void reports.push([what, reason]);
  const listenUrl = `postgres://localhost/none?host=${temporaryFolder()}`;
  await aNode({ url: await temporarySchema(), listenUrl, onTrouble });
  await until('that is reported', () => reports.length > 0);
  assert.is(reports[0]?.[0], 'notices');
  assert.match(reports[0]?.[1] ?? '', 'ENOENT');
});

test.run();
