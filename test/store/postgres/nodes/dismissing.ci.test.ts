import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { connectionsTo } from '../../../../src/store/postgres/connections.ts';
import { readMigrations } from '../../../../src/store/postgres/migrations.ts';
import { dismissOlder, readmitOlder } from '../../../../src/store/postgres/upgrading.ts';
import { versionIn } from '../../../crash/next-version.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { aCluster, aNode, nodeTests } from '../../../support/postgres-nodes.ts';

const test = nodeTests('servers that a breaking upgrade makes leave');

const NEXT = readMigrations().length + 1;

test('Older servers leave before the upgrade and cannot join again until it fails', async () => {
  const { nodes, url } = await aCluster(2);
  const [{ store }, other] = nodes;
  const dismissed: number[] = [];
  for (const node of nodes) {
    node.store.onDismissed((oldest) => {
      dismissed.push(oldest);
      void node.store.close();
    });
  }
  const named: string[] = [];
  const upgrading = connectionsTo({ url });
  await dismissOlder(upgrading, store.schema, NEXT, (servers) => {
    named.push(...servers.map(({ name }) => name));
  });
  assert.equal(named, ['node-1', 'node-2']);
  assert.equal(dismissed, [NEXT, NEXT]);
  const refusal = await aNode({ url, node: 'node-3' }).catch(({ message }: Error) => message);
  assert.match(
    String(refusal),
    new RegExp(`is being upgraded to schema ${NEXT} by a newer pushctl\\. This version knows`),
  );
  await readmitOlder(upgrading, other.store.schema, NEXT - 1);
  await aNode({ url, node: 'node-3' });
  await upgrading.close();
});

test('The upgrade waits no longer than a lease for a server that does not leave', async () => {
  const { url, nodes } = await aCluster(1, {}, { leaseMs: 1_000 });
  const [{ store, value }] = nodes;
  const { promise, resolve } = Promise.withResolvers<number>();
  store.onDismissed(resolve);
  await dismissOlder(store.connections, store.schema, NEXT, () => {});
  assert.is(await promise, NEXT);
  assert.is(await value('SELECT count(*) FROM node WHERE NOT is_evicted'), 0);
  const refusal = await aNode({ url, node: 'late' }).catch(({ message }: Error) => message);
  assert.match(String(refusal), 'by a newer pushctl');
});

test('A breaking upgrade that fails lets older servers join again', async () => {
  const { url, nodes } = await aCluster(1);
  const [{ store, value }] = nodes;
  store.onDismissed(() => void store.close());
  const main = versionIn(temporaryFolder(), {
    version: '99.0.0',
    migrations: { 'fail.breaking.sql': 'SELECT no_such_column' },
  });
  const env = { PATH: process.env.PATH, PUSHCTL_STORE_URL: url, PUSHCTL_DATA_DIR: temporaryFolder() };
  const run = (...words: readonly string[]) => promisify(execFile)(process.execPath, [main, ...words], { env });
  assert.match(
    (await run('migrate', '--dry-run')).stdout,
    `Older versions cannot use schema ${NEXT}. Servers of these`,
  );
  assert.is(await value('SELECT oldest FROM pushctl_schema'), NEXT - 1);
  const { stderr } = await run('migrate').catch((error: { readonly stderr: string }) => error);
  assert.match(
    stderr,
    /these servers stop, since they cannot use the new schema: node-1 .*no_such_column.*Fix the cause/s,
  );
  await aNode({ url, node: 'node-2' });
});

test.run();
