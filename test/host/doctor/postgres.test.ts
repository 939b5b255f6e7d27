import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failoverFindings, nodeFindings } from '../../../src/host/doctor/cluster.ts';
import { lookIntoPostgres, postgresFindings } from '../../../src/host/doctor/postgres.ts';
import type { Durability, Inspection } from '../../../src/store/postgres/inspection.ts';
import type { NodeState } from '../../../src/store/postgres/nodes/states.ts';

const test = suite('doctor: PostgreSQL');

const NODE: NodeState = {
  id: 1,
  name: 'a',
  version: '1.0.0',
  address: 'http://10.0.0.21:8080',
  startedAtMs: 0,
  leaseLeftMs: 9_000,
  silentMs: 1_000,
  hears: true,
  clockAheadMs: -20,
  health: {},
};

const DURABLE: Durability = {
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: 'on',
  synchronousStandbyNames: 'ANY 1 (s1, s2)',
  standbys: [
    { name: 's1', sync: 'quorum' },
    { name: 's2', sync: 'quorum' },
  ],
};

const GOOD: Inspection = {
  place: 'db/pushctl',
  version: '17.2',
  onlyReads: false,
  schema: { version: 7, known: 7, breaks: false },
  connection: { tls: 'TLSv1.3', isVerified: true, isLocal: false },
  notices: { kind: 'arrive', place: 'db/pushctl' },
  durability: DURABLE,
  connections: { most: 100, used: 20 },
  clock: { aheadMs: 2, withinMs: 1 },
  oldestTransactionMs: 10,
  keptForAbsent: null,
  foreignTables: [],
  nodes: [NODE, { ...NODE, id: 2, name: 'b' }],
  moved: null,
};

test('A database that is as it should be is no warning', () => {
  assert.equal(
    postgresFindings(GOOD).filter(({ status }) => status !== 'ok'),
    [],
  );
});

const FAULTS: readonly [what: string, change: Partial<Inspection>, status: string, expected: RegExp][] = [
  ['a standby', { onlyReads: true }, 'fail', /rejects changes/],
  [
    'an upgrade that breaks older servers',
    { schema: { version: 6, known: 7, breaks: true } },
    'fail',
    /with schema 6; this version needs schema 7, which older versions cannot use/,
  ],
  [
    'a newer schema',
    { schema: { version: 9, known: 7, breaks: false } },
    'warn',
    /a newer pushctl made it, and this version can/,
  ],
  [
    'a store that was moved',
    { moved: { place: '/data/pushctl.db', at: 0 } },
    'fail',
    /was moved to \/data\/pushctl\.db at 1970/,
  ],
  ['no TLS', { connection: { tls: null, isVerified: false, isLocal: false } }, 'warn', /is not encrypted/],
  [
    'a certificate unchecked',
    { connection: { tls: 'TLSv1.3', isVerified: false, isLocal: false } },
    'warn',
    /does not verify the certificate/,
  ],
  ['few connections', { connections: { most: 100, used: 95 } }, 'warn', /95 of 100/],
  ['a clock ahead', { clock: { aheadMs: 4_200, withinMs: 10 } }, 'warn', /4\.2 s ahead of/],
  ['a clock behind', { clock: { aheadMs: -61_000, withinMs: 10 } }, 'warn', /61\.0 s behind/],
  ['a long transaction', { oldestTransactionMs: 3_600_000 }, 'warn', /open for 60 minutes/],
  [
    'log kept for an absent standby',
    { keptForAbsent: { slot: 's9', bytes: 5 * 1024 ** 3 } },
    'warn',
    /5120 MiB .*\(s9\)/,
  ],
];

for (const [what, change, status, expected] of FAULTS) {
  test(`The doctor reports ${what}, and what to do`, () => {
    const found = postgresFindings({ ...GOOD, ...change }).filter((finding) => finding.status !== 'ok');
    assert.is(found.length, 1);
    assert.is(found[0]?.status, status);
    assert.match(found[0]?.message ?? '', expected);
    assert.ok((found[0]?.advice ?? '').length > 0);
  });
}

const FAILOVERS: readonly [what: string, change: Partial<Durability>, status: string, expected: RegExp][] = [
  ['no standby', { synchronousStandbyNames: '', standbys: [] }, 'warn', /there is no standby/],
  [
    'an asynchronous standby',
    { synchronousStandbyNames: '', standbys: [{ name: 's1', sync: 'async' }] },
    'warn',
    /can lose events .*no standby is synchronous \(s1 \(async\)\)/,
  ],
  ['a standby that nothing waits for', { synchronousCommit: 'local' }, 'fail', /commits do not wait for a standby/],
  ['a synchronous standby that is away', { standbys: [] }, 'fail', /none is connected/],
  ['standbys that may not be seen', { standbys: [{ name: 's1', sync: null }] }, 'warn', /cannot see/],
  ['commits that are not synced', { synchronousCommit: 'off' }, 'fail', /synchronous_commit is off/],
  ['no fsync', { fsync: false }, 'fail', /fsync is off/],
];

for (const [what, change, status, expected] of FAILOVERS) {
  test(`The doctor says what ${what} can lose`, () => {
    const found = failoverFindings({ ...DURABLE, ...change }).filter((finding) => finding.status !== 'ok');
    assert.ok(found.some((finding) => finding.status === status && expected.test(finding.message)));
  });
}

test('A synchronous standby is reported as synchronous', () => {
  const [, failover] = failoverFindings(DURABLE);
  assert.is(failover?.message, 'loses nothing: each commit waits for s1 (quorum), s2 (quorum)');
});

const NODES: readonly [what: string, nodes: readonly NodeState[], expected: RegExp][] = [
  ['no server runs', [], /no server is running/],
  [
    'one is silent',
    [NODE, { ...NODE, name: 'b', leaseLeftMs: 2_500, silentMs: 7_500 }],
    /b has been silent for 8 s; in 3 s the others/,
  ],
  ['versions are mixed', [NODE, { ...NODE, name: 'b', version: '1.1.0' }], /a 1\.0\.0, b 1\.1\.0/],
  [
    'settings differ, also where a third machine is of a version that reports none',
    [
      { ...NODE, health: { settings: { apns: 'on', 'apns.topic': 'com.example.one', 'fcm.style': 'data' } } },
      { ...NODE, name: 'b', health: { settings: { apns: 'on', 'apns.topic': 'com.example.two' } } },
      { ...NODE, name: 'c' },
    ],
    /^apns\.topic differs between the servers: a com\.example\.one, b com\.example\.two$/,
  ],
  [
    'one has no provider that another has',
    [
      { ...NODE, health: { settings: { apns: 'on', 'apns.topic': 'com.example.one' } } },
      { ...NODE, name: 'b', health: { settings: { apns: 'off' } } },
    ],
    /^apns differs between the servers: a on, b off$/,
  ],
  ['two have one name', [NODE, { ...NODE, id: 2 }], /two servers are called a/],
  ['one is deaf', [NODE, { ...NODE, name: 'b', hears: false }], /^b receives no notices/],
  ['a clock is wrong', [NODE, { ...NODE, name: 'b', clockAheadMs: -3_500 }], /clock of b is 3\.5 s behind/],
];

for (const [what, nodes, expected] of NODES) {
  test(`The finding on the nodes reports that ${what}`, () => {
    const warnings = nodeFindings(nodes).filter(({ status }) => status === 'warn');
    assert.is(warnings.length, 1);
    assert.match(warnings[0]?.message ?? '', expected);
  });
}

test('A database that cannot be reached is one finding, without its password', async () => {
  const url = 'postgres://pushctl:secret@localhost/pushctl?host=/nowhere';
  const store = { url, listenUrl: null, passwordFile: null, caFile: null, node: 'a' };
  const { findings: found } = await lookIntoPostgres({ store, handedOver: {} }, null, true);
  assert.is(found.length, 1);
  assert.is(found[0]?.status, 'fail');
  assert.match(found[0]?.message ?? '', /^\/nowhere\/pushctl cannot be reached: /);
  assert.not.match(JSON.stringify(found), 'secret');
});

test.run();
