import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_KINDS } from '../../../../src/contract/webhooks.ts';
import { OperatorProblem } from '../../../../src/process/problem.ts';
import { isRefusal, type StoreClient, type Verdict } from '../../../../src/store/calls.ts';
import { backUp } from '../../../../src/store/sqlite/files/backup.ts';
import { FolderInUse } from '../../../../src/store/sqlite/files/lock.ts';
import { restore, waitingIn } from '../../../../src/store/sqlite/files/restore.ts';
import { migrate, readMigrations } from '../../../../src/store/sqlite/migrations.ts';
import { readOffline } from '../../../../src/store/sqlite/offline.ts';
import { openLocalStore } from '../../../../src/store/transports/socket-or-in-process.ts';
import { openStoreThread } from '../../../../src/store/transports/thread-client.ts';
import { toTimestamp } from '../../../../src/values/timestamp.ts';
import { INSISTING } from '../../../support/alerts.ts';
import { assertEach } from '../../../support/assert-each.ts';
import { dataFolder } from '../../../support/data-folder.ts';
import { withSmallDisk } from '../../../support/disk.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { problemOf } from '../../../support/problem.ts';
import { granted } from '../../../support/refusals.ts';
import { Resources } from '../../../support/resources.ts';
import { SimulatedClock } from '../../../support/simulation.ts';
import { skipWhere } from '../../../support/skip.ts';
import { someSettings } from '../../../support/store.ts';
import { aWorkspace } from '../../../support/workspace.ts';
import { NOW_MS } from '../../../support/world.ts';

interface BackedUp {
  readonly dataDir: string;
  readonly file: string;
  readonly waiting: string;
}

/** A data folder with two devices and an event that waits for both, one of them for a retry; and its backup. */
async function backedUp(dataDir = dataFolder()): Promise<BackedUp> {
  const file = join(temporaryFolder(), 'backup.db');
  const store = await open(dataDir);
  const acme = await aWorkspace(store, { devices: { ios: 2 } });
  const accepted = await acme.accept();
  const [claim] = await claimed(store);
  const verdict = { state: 'pending', reason: 'ECONNRESET', retryInMs: 5_000, spent: true } as const;
  const verdicts = (claim?.targets ?? [])
    .slice(0, 1)
    .map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
  await store.settleBatch({ claimId: claim?.claimId ?? '', verdicts });
  await backUp({ dataDir, file });
  await store.close();
  return { dataDir, file, waiting: accepted.event.public_id };
}

async function open(dataDir: string, atMs = NOW_MS): Promise<StoreClient> {
  return openLocalStore({ dataDir, settings: someSettings() }, undefined, new SimulatedClock(atMs));
}

async function claimed(store: StoreClient) {
  const lane = { route: 'apns_production', lane: 'standard', limit: 9, batchSize: 1 } as const;
  return (await store.claimBatches(lane)).claims;
}

/** Returns how many pushes there were. */
async function settleAll(store: StoreClient, verdict: Verdict): Promise<number> {
  let settled = 0;
  for (;;) {
    const { claims } = await store.claimBatches({
      route: 'apns_production',
      lane: 'standard',
      limit: 300,
      batchSize: 100,
    });
    if (claims.length === 0) return settled;
    for (const { claimId, targets } of claims) {
      const verdicts = targets.map((_, index) => ({ index, verdict, fitted: false, linksLost: false }));
      await store.settleBatch({ claimId, verdicts });
      settled += targets.length;
    }
  }
}

async function slugsIn(dataDir: string): Promise<readonly string[]> {
  const store = await open(dataDir);
  const workspaces = await store.listWorkspaces({});
  await store.close();
  return workspaces.map(({ slug }) => slug);
}

test('open alerts have expired after a restore, unless waiting pushes are sent', async () => {
  const dataDir = dataFolder();
  const file = join(temporaryFolder(), 'backup.db');
  const before = await open(dataDir);
  const acme = await aWorkspace(before, { devices: { ios: 1 } });
  granted(await before.updateChannel({ workspace: 'acme', slug: 'alerts', insist: { repeat: 60, until: 3_000 } }));
  const publicId = (await acme.accept(INSISTING)).event.public_id;
  await backUp({ dataDir, file });
  await before.close();
  for (const resend of [false, true]) {
    restore({ dataDir, file, resend, wallMs: NOW_MS });
    const store = await open(dataDir);
    const { alert } = granted(await store.showAlert({ publicId }));
    assert.equal([alert.state, alert.ended_by], resend ? ['open', null] : ['expired', 'restored']);
    assert.is((await store.nextRound({})).inMs === null, !resend);
    await store.close();
  }
});

test('messages that webhooks had not got yet go out after a restore only if waiting pushes are sent', async () => {
  const dataDir = dataFolder();
  const file = join(temporaryFolder(), 'backup.db');
  const before = await open(dataDir);
  await aWorkspace(before);
  const hook = { workspace: 'acme', url: 'https://hooks.example.com/in', kinds: DEFAULT_KINDS, secret: 'whsec_x' };
  const { id } = granted(await before.createWebhook(hook));
  granted(await before.testWebhook({ workspace: 'acme', id }));
  await backUp({ dataDir, file });
  await before.close();
  for (const resend of [false, true]) {
    restore({ dataDir, file, resend, wallMs: NOW_MS });
    const store = await open(dataDir);
    assert.is((await store.takeWebhookMessages({ limit: 9 })).length, resend ? 1 : 0);
    await store.close();
  }
});

test('a resend that was under way goes on after a restore only if waiting pushes are sent', async () => {
  const dataDir = dataFolder();
  const file = join(temporaryFolder(), 'backup.db');
  const before = await open(dataDir);
  const acme = await aWorkspace(before, { devices: { ios: 250 } });
  const publicId = (await acme.accept()).event.public_id;
  await settleAll(before, { state: 'failed', reason: 'PayloadEmpty' });
  assert.not(granted(await before.resendEvent({ publicId })).done);
  await backUp({ dataDir, file });
  await before.close();
  for (const resend of [false, true]) {
    restore({ dataDir, file, resend, wallMs: NOW_MS });
    const store = await open(dataDir);
    while (!(await store.pruneStep({})).done);
    assert.is(await settleAll(store, { state: 'accepted' }), resend ? 250 : 0);
    await store.close();
  }
});

test('a restore ends due events unless waiting pushes are sent, and later events wait', async () => {
  const dataDir = dataFolder();
  const file = join(temporaryFolder(), 'backup.db');
  const before = await open(dataDir);
  const acme = await aWorkspace(before, { devices: { ios: 1 } });
  const publicId = (await acme.accept({ sendAtMs: NOW_MS + 1_000 })).event.public_id;
  const later = (await acme.accept({ sendAtMs: NOW_MS + 5_000 })).event.public_id;
  await backUp({ dataDir, file });
  await before.close();
  for (const resend of [false, true]) {
    const restored = restore({ dataDir, file, resend, wallMs: NOW_MS + 1_000 });
    assert.equal([restored.scheduled_ended, restored.scheduled_kept], resend ? [0, 2] : [1, 1]);
    const store = await open(dataDir, NOW_MS + 5_000);
    assert.is(granted(await store.showEvent({ publicId, limit: 1 })).event.state, resend ? 'scheduled' : 'restored');
    const released = (await store.releaseDue({})).released.map((event) => event.publicId);
    assert.equal(released, resend ? [publicId, later] : [later]);
    await store.close();
  }
});

test('a backup brings its own key for Web Push back, and reports if the key has changed', async () => {
  const dataDir = dataFolder();
  const [without, withKey] = ['without.db', 'with.db'].map((name) => join(temporaryFolder(), name));
  const keyIn = async (folder: string) => {
    const store = await open(folder);
    const { publicKey } = await store.vapidKeys({});
    await store.close();
    return publicKey;
  };
  let wallMs = NOW_MS;
  const back = (folder: string, file = '') => {
    wallMs += 1_000;
    return restore({ dataDir: folder, file, resend: false, wallMs }).other_webpush_key;
  };
  const store = await open(dataDir);
  await store.createWorkspace({ slug: 'acme' });
  await backUp({ dataDir, file: without ?? '' });
  await store.close();
  const key = await keyIn(dataDir);
  await backUp({ dataDir, file: withKey ?? '' });

  assert.not(back(dataDir, without), 'a backup from before there was a key');
  assert.is(await keyIn(dataDir), key);
  assert.not(back(dataDir, withKey));
  const elsewhere = temporaryFolder();
  assert.is.not(await keyIn(elsewhere), key);
  assert.ok(back(elsewhere, withKey));
  assert.is(await keyIn(elsewhere), key);
});

test('a restored folder has what the backup had, and the database from before is kept', async () => {
  const { dataDir, file } = await backedUp();
  const store = await open(dataDir);
  await store.createWorkspace({ slug: 'younger' });
  await store.close();

  const { kept, events } = restore({ dataDir, file, resend: false, wallMs: NOW_MS });
  assert.is(events, 1);
  assert.is(kept, join(dataDir, 'pushctl.db.20261121T093000Z'));
  assert.equal(await slugsIn(dataDir), ['acme']);
  const before = new Database(kept ?? '', { readonly: true });
  assert.equal(before.prepare('SELECT slug FROM workspace').pluck().all(), ['acme', 'younger']);
  before.close();
  assert.is(statSync(join(dataDir, 'pushctl.db')).mode & 0o777, 0o600);
  assert.not(readdirSync(dataDir).some((name) => name.includes('restoring')));
});

test('two restores within one second keep both databases from before', async () => {
  const { dataDir, file } = await backedUp();
  const kept = [1, 2, 3].map(() => restore({ dataDir, file, resend: false, wallMs: NOW_MS }).kept);
  const name = join(dataDir, 'pushctl.db.20261121T093000Z');
  assert.equal(kept, [name, `${name}.2`, `${name}.3`]);
  for (const file of kept) assert.ok(statSync(String(file)).size > 0);
});

test('pushes that waited in the backup are withdrawn, and counted as withdrawn', async () => {
  const { dataDir, file, waiting } = await backedUp();
  assert.is(restore({ dataDir, file, resend: false, wallMs: NOW_MS }).withdrawn, 2);
  const store = await open(dataDir, NOW_MS + 60_000);
  assert.equal(await claimed(store), []);
  const shown = granted(await store.showEvent({ publicId: waiting, limit: 9 }));
  assert.is(shown.event.deliveries.withdrawn, 2);
  assert.is(shown.event.deliveries.pending, 0);
  assertEach(shown.deliveries, ({ state, reason }) => `${state} ${reason}`, ['withdrawn restored']);
  const stats = await store.stats({ sinceMs: NOW_MS });
  assert.is(isRefusal(stats) ? 0 : stats.totals.withdrawn, 2);
  await store.close();
});

test('how much waits in a backup is known before it is restored, and nothing of what is none', async () => {
  const { dataDir, file } = await backedUp();
  assert.is(await waitingIn(file), 2);
  assert.is(await waitingIn(join(dataDir, 'nothing.db')), null);
});

test('the backup that was restored is known as the last one', async () => {
  const { dataDir, file } = await backedUp();
  utimesSync(file, NOW_MS / 1000, NOW_MS / 1000);
  restore({ dataDir, file, resend: false, wallMs: NOW_MS + 60_000 });
  const { stored } = await readOffline(dataDir);
  assert.equal(stored?.lastBackup, { at: toTimestamp(NOW_MS), file });
});

test('a copy that a server saved of a database that was lost is restored, and is no backup', async () => {
  const { dataDir, file } = await backedUp();
  const rescued = join(temporaryFolder(), 'pushctl.db.rescued-20261121T093000Z');
  copyFileSync(file, rescued);
  restore({ dataDir, file: rescued, resend: false, wallMs: NOW_MS });
  assert.is((await readOffline(dataDir)).stored?.lastBackup, null);
});

const asRoot = skipWhere(process.getuid?.() === 0 ? null : 'only root may give files away', test);

asRoot(
  'files restored by root belong to the owner of the data folder alone, for any author of the backup',
  async () => {
    const { dataDir, file } = await backedUp(temporaryFolder());
    for (const path of [dataDir, ...readdirSync(dataDir).map((name) => join(dataDir, name))]) chownSync(path, 997, 997);
    chmodSync(file, 0o644);
    restore({ dataDir, file, resend: false, wallMs: NOW_MS });
    for (const name of readdirSync(dataDir)) {
      const { uid, gid, mode } = statSync(join(dataDir, name));
      assert.equal([uid, gid, mode & 0o777], [997, 997, 0o600], name);
    }
  },
);

test('with --resend the waiting pushes of the backup are sent', async () => {
  const { dataDir, file } = await backedUp();
  assert.is(restore({ dataDir, file, resend: true, wallMs: NOW_MS }).withdrawn, 0);
  const store = await open(dataDir, NOW_MS + 60_000);
  assert.is((await claimed(store)).flatMap(({ targets }) => targets).length, 2);
  await store.close();
});

test('while a server runs nothing is restored, and its process is named', async () => {
  await using opened = new Resources();
  const { dataDir, file } = await backedUp();
  opened.add(await openStoreThread({ dataDir, settings: someSettings() }));
  assert.throws(
    () => restore({ dataDir, file, resend: false, wallMs: NOW_MS }),
    (error: unknown) => error instanceof FolderInUse && error.message.includes(`process ${process.pid}`),
  );
});

test('a file that is no sound backup changes nothing, and the message says why', async () => {
  const { dataDir, file } = await backedUp();
  const bad = join(temporaryFolder(), 'bad.db');
  const refusal = (path = bad) =>
    problemOf(() => restore({ dataDir, file: path, resend: false, wallMs: NOW_MS })).message;

  assert.match(refusal(join(dataDir, 'nowhere')), 'there is no file');
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, dataDir]) assert.match(refusal(path), 'is not a file');
  writeFileSync(bad, 'not a database, but long enough to look like something'.repeat(40));
  assert.match(refusal(), 'not an SQLite database');
  writeFileSync(bad, '');
  assert.match(refusal(), 'not a backup of pushctl');
  copyFileSync(file, bad);
  truncateSync(bad, statSync(file).size - 8_192);
  assert.match(refusal(), 'damaged');
  writeFileSync(`${bad}-wal`, 'x');
  assert.match(refusal(), 'write-ahead log');

  assert.equal(await slugsIn(dataDir), ['acme']);
  assert.not(readdirSync(dataDir).some((name) => name.includes('restoring') || name.startsWith('pushctl.db.')));
});

test('a disk with too little room leaves everything as it was', async () => {
  const { file } = await backedUp();
  waitForMany(file);
  const { size } = statSync(file);
  await withSmallDisk((size * 5) / 1_024, (disk) => {
    const outcomes = new Set<string>();
    for (let free = size / 2; free < size * 3; free += size / 8) {
      const dataDir = join(disk, 'data');
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(size * 5 - free));
      const outcome = outcomeOf(() => restore({ dataDir, file, resend: false, wallMs: NOW_MS }));
      outcomes.add(outcome);
      const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
      assert.is(names.includes('pushctl.db'), outcome === 'restored', outcome);
      assert.not(names.some((name) => name.includes('restoring')));
      if (outcome === 'restored') assert.is(pendingIn(join(dataDir, 'pushctl.db')), 0);
      for (const path of [dataDir, ballast]) rmSync(path, { recursive: true, force: true });
    }
    assert.equal([...outcomes], ['has too little space', 'database or disk is full', 'restored']);
  });
});

test('the database of another program, of a newer pushctl, and of another build, are refused', async () => {
  const { dataDir, file } = await backedUp();
  const other = join(temporaryFolder(), 'other.db');
  const theirs = new Database(other);
  theirs.exec('CREATE TABLE theirs (id INTEGER); PRAGMA user_version = 1');
  theirs.close();
  const refusal = () => problemOf(() => restore({ dataDir, file: other, resend: false, wallMs: NOW_MS })).message;
  assert.match(refusal(), 'database of another program');

  for (const [change, why] of [
    ['version = 9999, oldest = 9999', /of a newer pushctl/],
    ["digest = 'another'", /of a different build of pushctl/],
  ] as const) {
    copyFileSync(file, other);
    const changed = new Database(other);
    changed.exec(`UPDATE pushctl_schema SET ${change}`);
    changed.close();
    assert.match(refusal(), why);
  }
});

for (const [what, sql] of [
  ['a trigger', "CREATE TRIGGER climb AFTER INSERT ON session BEGIN UPDATE member SET role = 'owner'; END"],
  ['a view in the place of a table', 'ALTER TABLE tally RENAME TO kept; CREATE VIEW tally AS SELECT * FROM kept'],
  ['an index more', 'CREATE INDEX more ON event (title)'],
  ['a trigger less', 'DROP TRIGGER subscription_joins'],
  ['a column more', 'ALTER TABLE person ADD COLUMN more TEXT'],
] as const) {
  test(`a backup that has ${what} is refused, and nothing is changed`, async () => {
    const { dataDir, file } = await backedUp();
    const theirs = new Database(file);
    theirs.exec(sql);
    theirs.close();
    const refusal = problemOf(() => restore({ dataDir, file, resend: false, wallMs: NOW_MS })).message;
    assert.match(refusal, /its schema is not that of pushctl \(\w+ \w+\)\. Nothing was changed/);
    assert.equal(await slugsIn(dataDir), ['acme']);
  });
}

test('a backup of an older schema, and one that was analyzed, are restored', async () => {
  const { dataDir, file } = await backedUp();
  const analyzed = new Database(file);
  analyzed.exec('ANALYZE');
  analyzed.close();
  restore({ dataDir, file, resend: false, wallMs: NOW_MS });
  assert.equal(await slugsIn(dataDir), ['acme']);
  const older = join(temporaryFolder(), 'older.db');
  const db = new Database(older);
  migrate(db, readMigrations().slice(0, 1));
  db.close();
  restore({ dataDir, file: older, resend: false, wallMs: NOW_MS + 1_000 });
  assert.equal(await slugsIn(dataDir), []);
});

test('a damaged database is replaced and kept as it was, and a new folder gets its first one', async () => {
  const { dataDir, file } = await backedUp();
  writeFileSync(join(dataDir, 'pushctl.db'), 'rubbish'.repeat(1_000));
  const { kept } = restore({ dataDir, file, resend: false, wallMs: NOW_MS });
  assert.is(statSync(kept ?? '').size, 7_000);
  assert.equal(await slugsIn(dataDir), ['acme']);

  const fresh = join(temporaryFolder(), 'data');
  assert.is(restore({ dataDir: fresh, file, resend: false, wallMs: NOW_MS }).kept, null);
  assert.equal(await slugsIn(fresh), ['acme']);
});

test.run();

const MANY = 6_000;

/** Has so many more pushes wait in it for a retry. */
function waitForMany(file: string): void {
  const db = new Database(file);
  db.prepare(`
    WITH RECURSIVE nth(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM nth WHERE n < ?)
    INSERT INTO delivery SELECT event_id, device_id + n, workspace_id, route, lane, state, attempts, reason, at, due_at, NULL
    FROM delivery, nth
  `).run(MANY);
  db.close();
}

function pendingIn(file: string): number {
  const db = new Database(file, { readonly: true });
  try {
    return Number(db.prepare("SELECT count(*) FROM delivery WHERE state = 'pending'").pluck().get());
  } finally {
    db.close();
  }
}

function outcomeOf(run: () => unknown): string {
  let isOver = false;
  const message = problemOf(() => {
    run();
    isOver = true;
    throw new OperatorProblem('restored');
  }).message;
  if (isOver) return 'restored';
  assert.match(message, 'Nothing was changed.');
  return /has too little space|database or disk is full/.exec(message)?.[0] ?? message;
}
