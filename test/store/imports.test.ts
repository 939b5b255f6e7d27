import * as assert from 'uvu/assert';
import type { ImportedDevice } from '../../src/store/calls/devices.ts';
import type { NewDevice } from '../../src/store/calls.ts';
import { imports } from '../../src/store/handlers/devices/imports.ts';
import { sqlOver } from '../../src/store/sqlite/sql.ts';
import { importDeps } from '../../src/store/sqlite/staged-lines.ts';
import { toTimestamp } from '../../src/values/timestamp.ts';
import { androidToken } from '../support/android-token.ts';
import { assertEach } from '../support/assert-each.ts';
import { browserKeys } from '../support/browser-keys.ts';
import { ADA, BOB } from '../support/cast.ts';
import { conformance } from '../support/engines.ts';
import { commit, HERE, many, prune, stage } from '../support/imports.ts';
import { granted, refused } from '../support/refusals.ts';
import { NOW_MS, someSettings } from '../support/store.ts';
import { aDevice, tokenOf } from '../support/workspace.ts';
import { aWorld, type World } from '../support/world.ts';

const { it, onSqlite, run } = conformance('imports', aWorld);
const MINUTE_MS = 60_000;
const NOW = { wallMs: NOW_MS, steadyMs: NOW_MS };

it('an import that was staged in parts is invisible before its commit, and then registered in steps', async (world) => {
  await world.addDevice({ token: tokenOf(1), name: 'Known' });
  granted(await stage(world, [aDevice({ token: tokenOf(1) }), aDevice({ token: tokenOf(2) })]));
  assert.equal(await stage(world, [aDevice({ platform: 'android', token: androidToken('fcm'), subscribe: [] })], 3), {
    staged: 3,
  });
  assert.is(await world.countRows('device'), 1);
  assert.is(
    refused(await world.calls.registerImported(HERE)).refused,
    'invalid',
    'nothing is registered before the commit',
  );
  assert.equal(await commit(world), { devices: 3 });
  assert.equal(await registerAll(world), { done: true, imported: 2, updated: 1 });
  assert.is(await world.countRows('device'), 3);
  assert.is(await world.countRows('subscription'), 2);
  assert.is(await world.countRows('import_line'), 0);
});

it('no step registers more than four hundred devices, and events go to those that are there already', async (world) => {
  await stage(world, many(1_000));
  await commit(world);
  let [before, done] = [0, false];
  while (!done) {
    assert.is((await world.accept()).event.target_device_count, before);
    const answer = granted(await world.calls.registerImported(HERE));
    assert.ok(answer.imported <= before + 400);
    before = answer.imported;
    done = answer.done;
  }
  assert.is((await world.accept()).event.target_device_count, 1_000);
  assert.equal(await world.calls.registerImported(HERE), { done: true, imported: 1_000, updated: 0 });
});

it('a line with hundreds of channels is one device with all of them, each muted as its line says', async (world) => {
  const slugs = Array.from({ length: 230 }, (_, n) => `c${n}`);
  for (const slug of slugs) granted(await world.calls.createChannel({ workspace: 'acme', slug }));
  const mutes = [{ channel: 'c229', min_level: 'error', muted_until: null }] as const;
  const device: ImportedDevice = { ...aDevice({ token: tokenOf(1), subscribe: slugs }), mutes };
  await stage(world, [device, aDevice({ token: tokenOf(2) })]);
  await commit(world);
  assert.equal(await registerAll(world), { done: true, imported: 2, updated: 0 });
  const { devices } = granted(await world.calls.listDevices({ workspace: 'acme', limit: 2, channel: 'c229' }));
  assertEach(devices, ({ channels, mutes }) => [channels.length, mutes], [[230, mutes]]);
});

onSqlite('a step ends once it has taken 15 ms', async () => {
  const world = await aWorld();
  await stage(world, many(10));
  await commit(world);
  let elapsedMs = 0;
  const slow = imports(sqlOver(world.db), someSettings(), importDeps(world.db), () => {
    elapsedMs += 5;
    return elapsedMs;
  });
  assert.equal(await slow.registerImported(HERE, NOW), { done: false, imported: 3, updated: 0 });
  assert.equal(await slow.registerImported(HERE, NOW), { done: false, imported: 6, updated: 0 });
});

const KEYS = browserKeys();
/** Makes devices whose addresses begin with their number, except for their common parts. */
const NUMBERED: Readonly<Record<string, (n: number) => NewDevice>> = {
  phones: (n) => aDevice({ token: earlyTokenOf(n) }),
  browsers: (n) => ({
    platform: 'web',
    subscription: {
      endpoint: `https://updates.push.services.mozilla.com/wpush/v2/gAAAAABpIYAA${earlyTokenOf(n)}`,
      keys: KEYS,
    },
  }),
};
for (const [kind, numbered] of Object.entries(NUMBERED)) {
  onSqlite(
    `the ${kind} of a step are close together in the order of their tokens, however the lines came`,
    async () => {
      const world = await aWorld();
      for (let from = 0; from < 8_000; from += 500) {
        const shuffled = Array.from({ length: 500 }, (_, n) => (from + n) ** 3 % 8_009);
        await stage(world, shuffled.map(numbered), from + 1);
      }
      await commit(world);
      while (!granted(await world.calls.registerImported(HERE)).done);
      const tokens = world.db.prepare<[], string>('SELECT token FROM device ORDER BY id').pluck().all();
      const distances = tokens.slice(1).map((token, index) => Math.abs(placeOf(token) - placeOf(tokens[index] ?? '')));
      const sum = distances.reduce((total, distance) => total + distance);
      const ofNoOrder = 8_009 / 3;
      assert.ok(sum / distances.length < ofNoOrder / 2, `${sum / distances.length}`);
    },
  );
}

it('a mute is imported with its device, with as many lines as several steps take', async (world) => {
  const mutes = [{ channel: 'alerts', min_level: 'error', muted_until: null }] as const;
  await stage(
    world,
    many(900).map((device) => ({ ...device, mutes })),
  );
  await commit(world);
  await registerAll(world);
  const exported = granted(await world.calls.exportDevices({ workspace: 'acme', limit: 2_000 })).devices;
  assert.is(exported.length, 900);
  for (const device of exported) assert.equal(device.mutes, mutes);
});

it('the last of several mutes of a channel counts, in a line and in lines with one token', async (world) => {
  const level = (min_level: 'warning' | 'error') => ({ channel: 'alerts', min_level, muted_until: null });
  const until = (nth: number) => ({ channel: 'alerts', min_level: null, muted_until: toTimestamp(NOW_MS + nth) });
  const lines = many(900).map((device, nth) => ({ ...device, mutes: [level('error'), until(nth)] }));
  await stage(world, [...lines, { ...many(1)[0], mutes: [level('warning'), level('error')] } as ImportedDevice]);
  await commit(world);
  await registerAll(world);
  const exported = granted(await world.calls.exportDevices({ workspace: 'acme', limit: 2_000 })).devices;
  const mutes = exported.flatMap(({ mutes = [] }) => mutes.map((mute) => JSON.stringify(mute)));
  const expected = [level('error'), ...lines.slice(1).map((_, nth) => until(nth + 1))];
  assert.equal(mutes.toSorted(), expected.map((mute) => JSON.stringify(mute)).toSorted());
});

it('the last of several lines with one token counts, also if they were staged in different parts', async (world) => {
  const device = (n: number, name: string) => aDevice({ token: earlyTokenOf(n), name });
  const parts = [
    [device(1, 'a'), device(500, 'First')],
    [device(400, 'b'), device(500, 'Second')],
    [device(450, 'c'), device(500, 'Third')],
  ];
  for (const [index, part] of parts.entries()) granted(await stage(world, part, 2 * index + 1));
  await commit(world);
  assert.equal(await registerAll(world), { done: true, imported: 4, updated: 2 });
  assert.equal((await namesOf(world, ADA)).toSorted(), ['Third', 'a', 'b', 'c']);
});

it('a token that stands in the file twice is imported once and updated once', async (world) => {
  assert.equal(await world.importDevices([aDevice({ name: 'First' }), aDevice({ name: 'Second' })]), {
    imported: 1,
    updated: 1,
  });
  assert.equal(await namesOf(world, ADA), ['Second']);
});

it('a token that another member had registered becomes a new device of the member it is imported for', async (world) => {
  granted(await world.calls.addMember({ workspace: 'acme', email: BOB, role: 'member' }));
  await world.importDevices([aDevice({ token: tokenOf(1), name: 'His before' })], BOB);
  const lines = [aDevice({ token: tokenOf(1), name: 'Taken over' }), aDevice({ token: tokenOf(2), name: 'New' })];
  assert.equal(await world.importDevices(lines), { imported: 2, updated: 0 });
  assert.equal([await namesOf(world, BOB), (await namesOf(world, ADA)).toSorted()], [[], ['New', 'Taken over']]);
});

it('a dropped or abandoned import leaves nothing', async (world) => {
  await stage(world, many(500));
  await world.calls.dropImport(HERE);
  assert.match(refused(await commit(world)).message, 'nothing is staged');
  assert.match(refused(await stage(world, [aDevice()])).message, 'nothing is staged');
  await prune(world, NOW_MS);
  granted(await stage(world, many(500)));
  await prune(world, NOW_MS + 14 * MINUTE_MS);
  assert.is(await world.countRows('import_line'), 500, 'it may still be going on');
  await prune(world, NOW_MS + 16 * MINUTE_MS);
  for (const table of ['import', 'import_line', 'device']) assert.is(await world.countRows(table), 0, table);
});

onSqlite('nor does anything remain of the sample by which its lines were sorted', async () => {
  const world = await aWorld();
  await stage(world, many(500));
  assert.ok((await world.countRows('import_sample')) > 0);
  await world.calls.dropImport(HERE);
  await prune(world, NOW_MS);
  assert.is(await world.countRows('import_sample'), 0);
});

it('dropping an import that is committed changes nothing', async (world) => {
  await stage(world, many(2));
  await commit(world);
  await world.calls.dropImport(HERE);
  assert.equal(await registerAll(world), { done: true, imported: 2, updated: 0 });
});

it('an import goes on after a clock was set forward, and is abandoned after as long at work', async (world) => {
  await prune(world, NOW_MS);
  granted(await stage(world, many(2)));
  const aheadMs = NOW_MS + 3_650 * 24 * 60 * MINUTE_MS;
  await world.calls.pruneStep({ wallMs: aheadMs, passedMs: 0 });
  assert.is(await world.countRows('import_line'), 2);
  await world.calls.pruneStep({ wallMs: aheadMs + 16 * MINUTE_MS, passedMs: 16 * MINUTE_MS });
  assert.is(await world.countRows('import_line'), 0);
});

run();

/** In as many steps as it takes: each ends after some milliseconds, which a busy machine may take for a line. */
async function registerAll({ calls }: World) {
  for (;;) {
    const answer = granted(await calls.registerImported(HERE));
    if (answer.done) return answer;
  }
}

async function namesOf({ calls }: World, email: string): Promise<readonly string[]> {
  const { devices } = granted(await calls.listDevices({ workspace: 'acme', email, limit: 100 }));
  return devices.map(({ name }) => name);
}

/** One that begins with its number. */
function earlyTokenOf(n: number): string {
  return n.toString(16).padStart(4, '0').padEnd(64, '0');
}

/** The number that it ends with, but for zeros. */
function placeOf(earlyToken: string): number {
  return Number.parseInt(earlyToken.slice(-64).slice(0, 4), 16);
}
