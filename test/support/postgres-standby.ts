import { chmodSync, chownSync, cpSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import pg from 'pg';
import { type Cluster, startOver } from './postgres-cluster.ts';

/**
 * A standby that follows the primary and can be read, in an empty folder of its own. `name`: by which
 * `synchronous_standby_names` of the primary may name it. It takes over by `SELECT pg_promote()`.
 *
 * It begins with a copy made as the manual says: https://www.postgresql.org/docs/current/continuous-archiving.html,
 * "Making a Base Backup Using the Low Level API". The tests' binaries come without pg_basebackup.
 */
export async function startStandby(primary: Cluster, folder: string, name: string): Promise<Cluster> {
  await copyRunning(primary, join(folder, 'data'));
  return startOver(folder, { primary_conninfo: `host=${primary.folder} user=postgres application_name=${name}` });
}

/** Files of the running server alone. The standby asks for the parts of the write-ahead log that it needs. */
const NOT_COPIED: ReadonlySet<string> = new Set(['postmaster.pid', 'postmaster.opts']);

/** A copy begins and ends on the same connection. */
async function copyRunning(primary: Cluster, data: string): Promise<void> {
  const client = new pg.Client({ host: primary.folder, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', fast => true)");
    cpSync(primary.data, data, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
    chmodSync(data, 0o700);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)');
    writeFileSync(join(data, 'backup_label'), rows[0].labelfile);
    writeFileSync(join(data, 'standby.signal'), '');
    if (process.getuid?.() === 0) giveTo(statSync(primary.data), data);
  } finally {
    await client.end();
  }
}

/** Root's copies are root's. */
function giveTo({ uid, gid }: { readonly uid: number; readonly gid: number }, folder: string): void {
  chownSync(folder, uid, gid);
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, path), uid, gid);
}
