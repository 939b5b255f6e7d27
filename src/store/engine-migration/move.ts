/**
 * Moves a store between SQLite (data folder) and PostgreSQL. No server may use either meanwhile. All or nothing. The
 * source is marked right before the target is in place; otherwise two stores would send the same queue.
 */
import { OperatorProblem } from '../../process/problem.ts';
import type { MovedRow } from '../moved.ts';
import { workAsOwnerOf } from '../sqlite/database.ts';
import { openingProblem } from '../sqlite/errors.ts';
import { type CopiedTable, copyAll, type OnProgress } from './copying.ts';
import { CommitUnknown, unmarkDatabase, withSource, withTarget } from './postgres-side.ts';
import { openSource, openTarget, refuseAbsent, unmarkFolder } from './sqlite-side.ts';

/** A store: a data folder, or a database URL with its password. */
export type Place = { readonly folder: string } | { readonly url: string };

interface MoveOptions {
  readonly from: Place;
  readonly to: Place;
  readonly wallMs: number;
  readonly onProgress?: OnProgress;
}

export interface Moved {
  /** Without secrets. */
  readonly from: string;
  readonly to: string;
  /** Named as in the target. */
  readonly tables: readonly CopiedTable[];
}

/** Throws `OperatorProblem` on failure: the target is as empty as before. */
export async function move({ from, to, wallMs, onProgress = () => {} }: MoveOptions): Promise<Moved> {
  if ('folder' in from && 'url' in to)
    return toPostgres(from.folder, to.url, wallMs, onProgress).catch(of(from.folder));
  if ('url' in from && 'folder' in to) return toSqlite(from.url, to.folder, wallMs, onProgress).catch(of(to.folder));
  if ('folder' in from && 'folder' in to)
    return toFolder(from.folder, to.folder, wallMs, onProgress).catch(of(to.folder));
  throw new OperatorProblem('pushctl does not move a store from one PostgreSQL database to another.', 2, {
    advice: 'Copy it with pg_dump and pg_restore, or move it to a data folder and from there.',
  });
}

/** Converts SQLite's errors during the move, such as a full disk. */
function of(folder: string): (error: unknown) => never {
  return (error) => {
    throw openingProblem(folder, error);
  };
}

/** Makes a moved store usable again, unchanged. Returns where it was moved; null: it was not. */
export async function undoMove(place: Place): Promise<MovedRow | null> {
  if ('url' in place) return unmarkDatabase(place.url);
  using _ = workAsOwnerOf(place.folder);
  return unmarkFolder(place.folder);
}

async function toPostgres(folder: string, url: string, at: number, onProgress: OnProgress): Promise<Moved> {
  refuseAbsent(folder);
  using side = asItsOwner(folder, openSource);
  try {
    return await withTarget(url, async (target) => {
      const source = side.open();
      const tables = await copyAll(source, target, onProgress);
      source.mark({ place: target.place, at });
      return { from: source.place, to: target.place, tables };
    });
  } catch (error) {
    if (error instanceof CommitUnknown) {
      throw new OperatorProblem(`${error.what}, so it is unknown whether everything was moved.`, 1, {
        advice: `Check the target (\`pushctl workspace list\`): it has everything or nothing. If it has nothing, run \`pushctl move --undo ${folder}\` and start again.`,
      });
    }
    side.opened()?.unmark();
    throw error;
  }
}

async function toSqlite(url: string, folder: string, at: number, onProgress: OnProgress): Promise<Moved> {
  using side = asItsOwner(folder, openTarget);
  const moved = await withSource(url, async (source) => {
    const target = side.open();
    const tables = await copyAll(source, target, onProgress);
    await source.mark({ place: target.place, at });
    return { from: source.place, to: target.place, tables };
  }).catch((error: unknown) => {
    if (!(error instanceof CommitUnknown)) throw error;
    throw new OperatorProblem(`${error.what}. It may be marked as moved, but it was not moved.`, 1, {
      advice: 'Remove the mark with `pushctl move --undo`, then start again.',
    });
  });
  try {
    side.opened()?.keep();
  } catch (error) {
    await unmarkDatabase(url);
    throw error;
  }
  return moved;
}

async function toFolder(from: string, to: string, at: number, onProgress: OnProgress): Promise<Moved> {
  refuseAbsent(from);
  using _ = workAsOwnerOf(from);
  using source = openSource(from);
  using target = openTarget(to);
  const tables = await copyAll(source, target, onProgress);
  source.mark({ place: target.place, at });
  try {
    target.keep();
  } catch (error) {
    source.unmark();
    throw error;
  }
  return { from: source.place, to: target.place, tables };
}

/**
 * Opens the data folder after the database: root needs files for that which only root reads, then acts as the folder's
 * owner.
 */
function asItsOwner<T extends Disposable>(folder: string, open: (folder: string) => T) {
  let side: T | null = null;
  const disposables: Disposable[] = [];
  return {
    open(): T {
      disposables.push(workAsOwnerOf(folder));
      side = open(folder);
      disposables.push(side);
      return side;
    },
    opened: () => side,
    [Symbol.dispose]() {
      for (const disposable of disposables.reverse()) disposable[Symbol.dispose]();
    },
  };
}
