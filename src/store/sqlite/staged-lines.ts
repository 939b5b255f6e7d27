/**
 * Lines of imports, until registered. Tokens are random: in file order, each device would write to another page of the
 * token index, most of its writes. Sorting fully while staging would do the same here. So lines go into buckets (sample
 * sort): a registration step's tokens lie close together, and a staged part touches few buckets.
 */
import { addressBeginning, storedAddress } from '../../contract/addresses.ts';
import type { ImportDeps, StagedDevice, StagedLine, StagedLines } from '../handlers/devices/import-steps.ts';
import { newDeviceRow } from '../handlers/devices/registration.ts';
import { CHANNEL_EXISTS, subscriptions } from '../handlers/devices/subscriptions.ts';
import { sqlOver } from './sql.ts';
import type { Db } from './transaction.ts';

/** Events wait for it too. */
const STEP_MS = 15;

export function importDeps(db: Db): ImportDeps {
  const { mute } = subscriptions(sqlOver(db));
  return {
    staged: stagedLines(db),
    stepMs: STEP_MS,
    changedAmong: changes(db),
    registerNew: () => new Map(),
    subscribeAll: subscribers(db),
    async muteAll(mutes, channelId) {
      for (const { deviceId, ...muted } of mutes) await mute(deviceId, channelId, muted);
    },
  };
}

/**
 * Sampled addresses, as a share of the lines' square root. More buckets: more page writes while staging, fewer while
 * registering.
 */
const SAMPLED = 1 / 4;

function stagedLines(db: Db): StagedLines {
  const sampled = db.prepare<[number], number>('SELECT count(*) FROM import_sample WHERE import_id = ?').pluck();
  const sample = db.prepare<[number, string]>(
    'INSERT INTO import_sample (import_id, address) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  // The `+` hides values from the planner. Otherwise SQLite recompiles per line.
  const insert = db.prepare<[number, number, string, number, string]>(`
    INSERT INTO import_line (import_id, behind, line, device)
    VALUES (?, coalesce((SELECT max(address) FROM import_sample WHERE import_id = +? AND address <= +?), ''), ?, ?)
  `);
  const next = db.prepare<[number, number], Omit<StagedLine, 'device'> & { readonly device: string }>(
    'SELECT behind AS place, line, device FROM import_line WHERE import_id = ? ORDER BY behind, line LIMIT ?',
  );
  const replace = db.prepare<[string, number, string, number]>(
    'UPDATE import_line SET device = ? WHERE import_id = ? AND behind = ? AND line = ?',
  );
  const removeUpTo = db.prepare<[number, string, number]>(
    'DELETE FROM import_line WHERE import_id = ? AND (behind, line) <= (?, ?)',
  );
  const remove = db.prepare<[number, number]>('DELETE FROM import_line WHERE import_id = ? LIMIT ?');
  const removeSample = db.prepare<[number]>('DELETE FROM import_sample WHERE import_id = ?');

  return {
    add(importId, staged, lines) {
      const missing = Math.floor(SAMPLED * Math.sqrt(staged + lines.length)) - (sampled.get(importId) ?? 0);
      for (const { device } of lines.slice(0, Math.max(0, missing))) sample.run(importId, addressOf(device));
      for (const { line, device } of lines) {
        insert.run(importId, importId, addressOf(device), line, JSON.stringify(device));
      }
    },

    next: (importId, limit) =>
      next.all(importId, limit).map(({ device, ...place }) => ({ ...place, device: JSON.parse(device) })),

    replace: (importId, { place, line, device }) => void replace.run(JSON.stringify(device), importId, place, line),

    removeUpTo: (importId, { place, line }) => void removeUpTo.run(importId, place, line),

    remove(importId, limit) {
      const removed = remove.run(importId, limit).changes;
      if (removed < limit) removeSample.run(importId);
      return removed;
    },
  };
}

/** Sorts like the token index. As short as possible: each line repeats its bucket's. */
function addressOf(device: StagedDevice): string {
  return addressBeginning(storedAddress(device));
}

function changes(db: Db): ImportDeps['changedAmong'] {
  const isChanged = db.prepare<object[], 1>(`
    SELECT 1 FROM device WHERE platform = :platform AND token = :token
      AND (user_id <> :userId OR status = 'inactive' OR route <> :route)
  `);
  return (devices) =>
    [...devices.entries()].flatMap(([place, device]) => (isChanged.get(newDeviceRow(device)) ? place : []));
}

/** One statement for all: a third of the time. */
function subscribers(db: Db): ImportDeps['subscribeAll'] {
  const channelExists = sqlOver(db).value<{ channelId: number }, 1>(CHANNEL_EXISTS);
  const insert = db.prepare<[number, string]>(`
    INSERT INTO subscription (channel_id, device_id, user_id, route, active, generation)
    SELECT ?, device.id, user_id, route, status = 'active', generation
    FROM json_each(?) AS asked CROSS JOIN device WHERE device.id = asked.value
    ON CONFLICT DO NOTHING
  `);
  return (deviceIds, channelId) => {
    if (channelExists({ channelId }) === 1) insert.run(channelId, JSON.stringify(deviceIds));
  };
}
