import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Backups } from '../../../src/server/backups/backups.ts';
import { type FailedBackup, failure, type startBackup } from '../../../src/server/backups/process.ts';
import { backupName } from '../../../src/store/sqlite/files/backup-names.ts';
import { toTimestamp } from '../../../src/values/timestamp.ts';
import { remountReadOnly, withSmallDisk } from '../../support/disk.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { untilIs } from '../../support/until.ts';

const test = suite('backups by the server itself');
/** Names have no milliseconds. */
const START_MS = Date.UTC(2026, 10, 21, 9, 30);
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const YEAR_MS = 8_760 * HOUR_MS;

test('The first backup is made at once if there is none, then one an hour, and the newest are kept', async () => {
  const scene = aScene({ keep: 3 });
  writeFileSync(join(scene.folder, 'pushctl-notes.txt'), 'not ours');
  await scene.start();
  assert.equal(scene.names(), [scene.nameAt(0)]);
  assert.is(scene.backups.nextAtMs(), scene.startMs + HOUR_MS);
  assert.is(scene.backups.lastBytes(), 4);
  await scene.pass(4 * HOUR_MS);
  assert.is(scene.names().length, 3);
  assert.is(scene.made(), 5);
  assert.equal(scene.names().at(-1), scene.nameAt(4 * HOUR_MS));
  assert.ok(readdirSync(scene.folder).includes('pushctl-notes.txt'));
  await scene.backups.stop();
  assert.not(scene.waits());
});

test('After a restart the folder says when the next is due, and a missed one is made up for', async () => {
  const scene = aScene({});
  scene.put(-MINUTE_MS);
  await scene.start();
  await scene.pass(HOUR_MS - MINUTE_MS - 1);
  assert.is(scene.made(), 0);
  await scene.pass(1);
  assert.is(scene.made(), 1);
  const late = aScene({});
  late.put(-9 * HOUR_MS);
  await late.start();
  assert.is(late.made(), 1);
});

test('While there is no workspace nothing is made, and the first one is followed by a backup', async () => {
  const scene = aScene({});
  scene.hasWorkspace(false);
  await scene.start();
  await scene.pass(HOUR_MS);
  assert.equal([scene.made(), scene.backups.findings(null)], [0, []]);
  scene.hasWorkspace(true);
  await scene.pass(MINUTE_MS);
  assert.is(scene.made(), 1);
});

test('A database that knows of no backup gets one at once: those in the folder may be of another', async () => {
  const scene = aScene({});
  scene.put(-MINUTE_MS);
  scene.hasBackup(false);
  await scene.start();
  assert.is(scene.made(), 1);
});

test('One that fails is counted, reported with what to do, and tried again ever more rarely; no file is removed', async () => {
  const scene = aScene({ keep: 1 });
  for (const ago of [3, 2]) scene.put(-ago * HOUR_MS);
  const kept = scene.names();
  scene.fails({ reason: 'there is too little room', advice: 'free some' });
  await scene.start();
  assert.is(scene.failures(), 1);
  const last = { at: toTimestamp(scene.startMs - 2 * HOUR_MS), file: 'x' };
  const [finding, ...more] = scene.backups.findings(last);
  assert.equal(more, []);
  assert.is(finding?.status, 'warn');
  assert.match(finding?.message ?? '', /^failed at 2026-\S+, and the last one is from 2026-\S+: there is too/);
  assert.is(finding?.advice, 'free some');
  const older = { at: toTimestamp(scene.startMs - 2 * HOUR_MS - 1), file: 'x' };
  for (const late of [older, null]) assert.is(scene.backups.findings(late)[0]?.status, 'fail');
  for (const [ms, failures] of [
    [MINUTE_MS, 2],
    [4 * MINUTE_MS, 3],
    [16 * MINUTE_MS, 4],
    [HOUR_MS, 5],
    [HOUR_MS, 6],
  ] as const) {
    await scene.pass(ms);
    assert.is(scene.failures(), failures);
  }
  assert.equal(scene.names(), kept);
  scene.fails(null);
  await scene.pass(HOUR_MS);
  assert.is(scene.names().length, 1);
  assert.equal(scene.backups.findings({ at: toTimestamp(scene.wallMs()), file: 'x' }), []);
});

test('A folder that is missing is a failure as any other, until it is there', async () => {
  const scene = aScene({});
  rmSync(scene.folder, { recursive: true });
  await scene.start();
  assert.is(scene.failures(), 1);
  assert.match(scene.backups.findings(null)[0]?.message ?? '', 'cannot read backup.folder: ENOENT');
  assert.is(scene.made(), 0);
});

test('A folder that becomes missing or read-only is reported before a backup is due, until it is usable', async () => {
  await withSmallDisk(256, async (disk) => {
    const scene = aScene({ folder: join(disk, 'backups') });
    await scene.start();
    const last = { at: toTimestamp(scene.startMs), file: 'x' };
    renameSync(scene.folder, join(disk, 'away'));
    await scene.pass(MINUTE_MS);
    assert.match(scene.backups.findings(last)[0]?.message ?? '', 'cannot read backup.folder: ENOENT');
    renameSync(join(disk, 'away'), scene.folder);
    await scene.pass(MINUTE_MS);
    assert.equal(scene.backups.findings(last), []);
    remountReadOnly(disk);
    await scene.pass(MINUTE_MS);
    const [finding] = scene.backups.findings(last);
    assert.match(finding?.message ?? '', 'cannot write to backup.folder: EROFS');
    assert.match(finding?.advice ?? '', /systemctl restart pushctl/);
    assert.is(scene.made(), 1);
  });
});

test('A folder that is read-only to the service, such as one made after its start, asks for a restart', async () => {
  const scene = aScene({});
  scene.fails({ reason: 'EROFS: read-only file system, open', advice: 'see its owner' });
  await scene.start();
  assert.match(scene.backups.findings(null)[0]?.advice ?? '', /systemctl restart pushctl/);
});

test('A last backup twice as old as it may be is reported', async () => {
  const scene = aScene({});
  const of = (ms: number) => scene.backups.findings({ at: toTimestamp(scene.startMs - ms), file: 'x' });
  assert.equal(of(2 * HOUR_MS), []);
  assert.match(of(2 * HOUR_MS + 1)[0]?.message ?? '', 'older than twice backup.every');
});

test('A clock that was years ahead keeps no backup from being made, nor a new one from being kept', async () => {
  const scene = aScene({ keep: 2 });
  for (const years of [8, 9, 10]) scene.put(years * YEAR_MS);
  await scene.start();
  assert.is(scene.made(), 1);
  assert.equal(scene.names().length, 2);
  assert.ok(scene.names().includes(scene.nameAt(0)));
  await scene.pass(HOUR_MS);
  assert.equal(scene.names(), [scene.nameAt(0), scene.nameAt(HOUR_MS)]);
});

test('A clock that is set, forward or back, is followed within a minute, and makes one backup, not many', async () => {
  const scene = aScene({});
  await scene.start();
  scene.shift(72 * HOUR_MS);
  await scene.pass(MINUTE_MS);
  assert.is(scene.made(), 2);
  scene.shift(-72 * HOUR_MS);
  await scene.pass(HOUR_MS - 2 * MINUTE_MS);
  assert.is(scene.made(), 2, 'the first is still young enough');
  await scene.pass(MINUTE_MS);
  assert.is(scene.made(), 3);
});

test('The next backup removes the files of killed processes, and no file that is still written to', async () => {
  const scene = aScene({});
  const [old, fresh] = [`${scene.nameAt(-HOUR_MS)}.7.part`, `${scene.nameAt(-HOUR_MS)}.8.part`];
  for (const [name, ageMs] of [
    [old, 2 * HOUR_MS],
    [`${old}-journal`, 2 * HOUR_MS],
    [fresh, MINUTE_MS],
  ] as const) {
    const file = join(scene.folder, name);
    writeFileSync(file, 'half');
    utimesSync(file, (scene.startMs - ageMs) / 1_000, (scene.startMs - ageMs) / 1_000);
  }
  await scene.start();
  assert.equal(readdirSync(scene.folder).sort(), [fresh, scene.nameAt(0)]);
});

test('A leftover that cannot be removed keeps no backup from being made', async () => {
  const scene = aScene({});
  const file = join(scene.folder, `${scene.nameAt(-HOUR_MS)}.7.part`);
  mkdirSync(file);
  utimesSync(file, (scene.startMs - 2 * HOUR_MS) / 1_000, (scene.startMs - 2 * HOUR_MS) / 1_000);
  await scene.start();
  assert.equal([scene.made(), scene.names()], [1, [scene.nameAt(0)]]);
});

test('One that has been under way for more than an hour is reported', async () => {
  const scene = aScene({});
  scene.hangs();
  scene.begin();
  await untilIs('it is being made', () => scene.made(), 1);
  assert.equal(scene.backups.findings(null), []);
  scene.shift(HOUR_MS + 1);
  const [finding] = scene.backups.findings(null);
  assert.match(finding?.message ?? '', /has been running since 2026-11-21T09:30/);
  await scene.backups.stop();
});

test('A stop ends the one that is being made, and waits for no other', async () => {
  const scene = aScene({});
  scene.hangs();
  scene.begin();
  await untilIs('it is being made', () => scene.made(), 1);
  await scene.backups.stop();
  assert.ok(scene.wasKilled());
  assert.not(scene.waits());
  assert.is(scene.failures(), 0);
});

test('None is begun once it is stopped, though one was due', async () => {
  const scene = aScene({});
  scene.begin();
  await scene.backups.stop();
  assert.equal([scene.made(), scene.waits()], [0, false]);
});

test.run();

/** A server's backups in a folder of its own, one an hour, as time is let pass. What makes them writes a few bytes. */
function aScene({ keep = 14, folder = temporaryFolder() }: { keep?: number; folder?: string }) {
  const startMs = START_MS;
  mkdirSync(folder, { recursive: true });
  const next = new Turns();
  let [nowMs, shiftMs, made, failures, isWorkspaceThere, isBackupKnown, isKilled] = [
    startMs,
    0,
    0,
    0,
    true,
    true,
    false,
  ];
  let failed: FailedBackup | null = null;
  let hanging: PromiseWithResolvers<{ failed: FailedBackup }> | null = null;
  const start: typeof startBackup = (_, file) => {
    made += 1;
    if (failed !== null) return { done: Promise.resolve({ failed }), kill: () => {} };
    if (hanging !== null) {
      const { promise: done, resolve } = hanging;
      const kill = () => {
        isKilled = true;
        resolve({ failed: failure('killed') });
      };
      return { done, kill };
    }
    writeFileSync(file, 'data', { flag: 'wx' });
    const contents = { schema: 1, workspaces: 1, devices: 0, events: 0 };
    return { done: Promise.resolve({ made: { file, bytes: 4, ...contents } }), kill: () => {} };
  };
  const wallMs = () => nowMs + shiftMs;
  const backups = new Backups({
    settings: { folder, at: null, everyMs: HOUR_MS, keep },
    dataDir: '/nowhere',
    clock: { wallMs },
    after: (ms, fn) => next.set(nowMs + ms, fn),
    log: pino({ level: 'silent' }),
    hasWorkspace: async () => isWorkspaceThere,
    hasBackup: async () => isBackupKnown,
    onFailed() {
      failures += 1;
    },
    start,
  });
  const pass = async (ms: number) => {
    const untilMs = nowMs + ms;
    for (let turn = next.dueBy(untilMs); turn; turn = next.dueBy(untilMs)) {
      nowMs = Math.max(nowMs, turn.atMs);
      const planned = next.planned();
      turn.fn();
      await planned;
    }
    nowMs = untilMs;
  };
  return {
    startMs,
    folder,
    backups,
    wallMs,
    pass,
    async start() {
      backups.start();
      await pass(0);
    },
    begin() {
      backups.start();
      next.dueBy(nowMs)?.fn();
    },
    names: () => namesIn(folder),
    nameAt: (ms: number) => backupName(startMs + ms),
    put: (ms: number) => writeFileSync(join(folder, backupName(startMs + ms)), 'old'),
    made: () => made,
    failures: () => failures,
    wasKilled: () => isKilled,
    waits: () => next.isSet,
    shift(ms: number) {
      shiftMs += ms;
    },
    hasWorkspace(isThere: boolean) {
      isWorkspaceThere = isThere;
    },
    hasBackup(isKnown: boolean) {
      isBackupKnown = isKnown;
    },
    fails(how: FailedBackup | null) {
      failed = how;
    },
    hangs() {
      hanging = Promise.withResolvers();
    },
  };
}

function namesIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => /^pushctl-\d.*\.db$/.test(name));
  return names.sort();
}

/** The one timer that there is at a time. What is between two of them reads a real folder, so the next is waited for. */
class Turns {
  #set: { readonly atMs: number; readonly fn: () => void } | null = null;
  #onSet: () => void = () => {};

  get isSet(): boolean {
    return this.#set !== null;
  }

  set(atMs: number, fn: () => void): () => void {
    assert.is(this.#set, null);
    this.#set = { atMs, fn };
    this.#onSet();
    return () => {
      this.#set = null;
    };
  }

  planned(): Promise<void> {
    return new Promise((resolve) => {
      this.#onSet = resolve;
    });
  }

  dueBy(ms: number) {
    const due = this.#set !== null && this.#set.atMs <= ms ? this.#set : null;
    if (due !== null) this.#set = null;
    return due;
  }
}
