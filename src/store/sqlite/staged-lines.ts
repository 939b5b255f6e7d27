/**
 * The lines of imports, from their staging until they are registered. Tokens are random: registered in the order of the
 * file, each device would write to another page of the index of tokens, which is most of what it writes. Fully sorted
 * while they are staged, each line would write to another page of this table instead. So they are put into buckets
 * (sample sort): the tokens of a registration step lie close together, and the lines of a staged part go to few
 * buckets.
 */
import { addressBeginning, storedAddress } from '../../contract/addresses.ts';
import type { ImportLine } from '../calls.ts';
import type { Db } from './transaction.ts';

/** A line's device as it is registered, and its channels. */
export interface StagedDevice extends Omit<ImportLine['device'], 'subscribe'> {
  readonly channelIds: readonly number[];
}

export interface StagedLine {
  /** Its bucket: the greatest address of the sample that is not greater than its own; '' where there is none. */
  readonly behind: string;
  readonly line: number;
  readonly device: StagedDevice;
}

export interface StagedLines {
  /** `staged`: how many there are of the import already. */
  add(importId: number, staged: number, lines: readonly Omit<StagedLine, 'behind'>[]): void;
  /** The next `limit` of them, bucket by bucket. Lines with the same token are in the order of the file. */
  next(importId: number, limit: number): readonly StagedLine[];
  /** This one, and all before it. */
  removeUpTo(importId: number, last: StagedLine): void;
  /** Removes up to `limit` of them, and answers how many. Fewer than `limit`: nothing of the import is left. */
  remove(importId: number, limit: number): number;
}

/**
 * Addresses in the sample, as a share of the square root of the lines. More buckets mean more pages to write while
 * lines are staged, and fewer while they are registered.
 */
const SAMPLED = 1 / 4;

export function stagedLines(db: Db): StagedLines {
  const sampled = db.prepare<[number], number>('SELECT count(*) FROM import_sample WHERE import_id = ?').pluck();
  const sample = db.prepare<[number, string]>(
    'INSERT INTO import_sample (import_id, address) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  // The `+` hides the values from the planner: SQLite would otherwise compile the statement anew at each line.
  const insert = db.prepare<[number, number, string, number, string]>(`
    INSERT INTO import_line (import_id, behind, line, device)
    VALUES (?, coalesce((SELECT max(address) FROM import_sample WHERE import_id = +? AND address <= +?), ''), ?, ?)
  `);
  const next = db.prepare<[number, number], Omit<StagedLine, 'device'> & { readonly device: string }>(
    'SELECT behind, line, device FROM import_line WHERE import_id = ? ORDER BY behind, line LIMIT ?',
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

    removeUpTo: (importId, { behind, line }) => void removeUpTo.run(importId, behind, line),

    remove(importId, limit) {
      const removed = remove.run(importId, limit).changes;
      if (removed < limit) removeSample.run(importId);
      return removed;
    },
  };
}

/** Sorts as the index of tokens does. No longer than it must be, as a bucket's is repeated in each of its lines. */
function addressOf(device: StagedDevice): string {
  return addressBeginning(storedAddress(device));
}
