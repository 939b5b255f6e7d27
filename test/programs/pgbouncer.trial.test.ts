import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KeyActor } from '../../src/store/calls.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { type Cluster, startCluster } from '../support/postgres-cluster.ts';
import { nodesOver, type TestNode } from '../support/postgres-nodes.ts';
import { openRaw } from '../support/raw.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { skipWhere } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { anEvent, aWorkspace } from '../support/workspace.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
const test = suite('PgBouncer');
const whereInstalled = skipWhere(existsSync(PROGRAM) ? null : `${PROGRAM} is not installed`, test);

/** More than its connections to the database, and than what one question takes. */
const POSTS = 1_200;
const PER_MINUTE = 1_000;

whereInstalled(
  'Behind a pooler of transactions two machines count, accept, claim and settle as without one',
  async () => {
    await using opened = new Resources();
    const cluster = await startCluster(temporaryFolder());
    opened.onEnd(cluster.stop);
    const nodes = (await nodesOver(await pooled(cluster, opened), 2)) as [TestNode, TestNode];
    for (const { store } of nodes) opened.add(store);
    const [{ calls }] = nodes;
    const { workspaceId, issueKey } = await aWorkspace(calls, { devices: { ios: 1 } });
    const key: KeyActor = { kind: 'key', id: (await issueKey()).id, scope: 'events:write' };
    const event = () => anEvent(workspaceId, { perMinute: PER_MINUTE });
    const answers = await Promise.all(
      Array.from({ length: POSTS }, (_, n) => nodes[n % 2 === 0 ? 0 : 1].calls.acceptEvent(event(), key)),
    );
    assert.is(answers.filter(({ kind }) => kind === 'accepted').length, PER_MINUTE);
    assert.is(answers.filter(({ kind }) => kind === 'rate_limited').length, POSTS - PER_MINUTE);
    assert.is((await calls.readUsage({ workspaceId })).used, PER_MINUTE);
    const sent = await Promise.all(nodes.map(sendAll));
    assert.is(
      sent.reduce((sum, count) => sum + count, 0),
      PER_MINUTE,
    );
    const { events } = granted(await calls.listEvents({ workspace: 'acme', limit: 100 }));
    assert.ok(events.every(({ deliveries }) => deliveries.accepted === 1));
  },
);

test.run();

/** The address of a pooler with few connections, each lent for a transaction. */
async function pooled({ folder }: Cluster, opened: Resources): Promise<string> {
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
postgres = host=${folder} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
`,
  );
  // It refuses root: it is nobody to itself.
  const asNobody = process.getuid?.() === 0 ? ['unshare', '--user', '--map-user=65534', '--'] : [];
  const [command = '', ...args] = [...asNobody, 'setpriv', '--pdeathsig', 'KILL', '--', PROGRAM, '--quiet', file];
  const pooler = spawn(command, args, { stdio: 'ignore' });
  opened.onEnd(async () => {
    if (pooler.exitCode === null && pooler.kill('SIGKILL')) await once(pooler, 'exit');
  });
  await until('the pooler listens', () =>
    openRaw(`http://127.0.0.1:${port}`).then(
      (socket) => Boolean(socket.destroy()),
      (error) => error,
    ),
  );
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** Claims and settles until nothing waits; answers how many pushes that were. */
async function sendAll({ calls }: TestNode): Promise<number> {
  for (let sent = 0; ; ) {
    const lane = { route: 'apns_production', lane: 'standard', limit: 200, batchSize: 100 } as const;
    const { claims } = await calls.claimBatches(lane);
    if (claims.length === 0) return sent;
    for (const { claimId, targets } of claims) {
      const verdict = { state: 'accepted' } as const;
      const verdicts = targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
      await calls.settleBatch({ claimId, verdicts });
      sent += targets.length;
    }
  }
}
