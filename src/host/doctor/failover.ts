import { type Finding, fail, ok, warn } from '../../process/finding.ts';
import type { Durability, Standby } from '../../store/postgres/inspection.ts';

/** Tells whether accepted events (202) outlive a crash of the database and the loss of its machine. */
export function failoverFindings(durability: Durability): readonly Finding[] {
  return [crashFinding(durability), failoverFinding(durability)];
}

function crashFinding({ fsync, fullPageWrites, synchronousCommit }: Durability): Finding {
  const check = 'durability';
  if (!fsync) {
    return fail(check, 'fsync is off: a crash of its machine destroys the database', 'fsync = on in postgresql.conf');
  }
  if (synchronousCommit === 'off') {
    return fail(
      check,
      'synchronous_commit is off: a crash of the database loses events that were accepted just before',
      'ALTER ROLE … RESET synchronous_commit for the user in [store] url, and synchronous_commit = on in postgresql.conf',
    );
  }
  if (!fullPageWrites) {
    const message = 'full_page_writes is off: a power cut can tear pages';
    const advice = 'full_page_writes = on in postgresql.conf, unless the file system writes pages atomically';
    return warn(check, message, advice);
  }
  return ok(check, 'each commit is synced to the disk before it is answered');
}

const CHECK = 'failover';
/**
 * States of standbys that commits may await: https://www.postgresql.org/docs/current/monitoring-stats.html,
 * pg_stat_replication.
 */
const WAITED_FOR: ReadonlySet<string | null> = new Set(['sync', 'quorum']);

function failoverFinding(durability: Durability): Finding {
  const { synchronousStandbyNames: names, synchronousCommit, standbys } = durability;
  if (names === '') return withoutSynchronous(standbys);
  if (synchronousCommit === 'local' || synchronousCommit === 'off') {
    return fail(
      CHECK,
      `loses events that were accepted just before: synchronous_commit is ${synchronousCommit}, so commits do not wait for a standby`,
      'ALTER ROLE … RESET synchronous_commit for the user in [store] url, and synchronous_commit = on in postgresql.conf',
    );
  }
  const waitedFor = standbys.filter(({ sync }) => WAITED_FOR.has(sync));
  if (waitedFor.length > 0) return ok(CHECK, `loses nothing: each commit waits for ${namesOf(waitedFor)}`);
  if (standbys.some(({ sync }) => sync === null)) {
    const message = `this user cannot see whether a standby is synchronous; synchronous_standby_names is ${names}`;
    const advice = 'GRANT pg_read_all_stats to the user in [store] url';
    return warn(CHECK, message, advice);
  }
  return fail(
    CHECK,
    `commits wait for a standby of synchronous_standby_names (${names}), and none is connected`,
    "start a standby; or, to run on the primary alone for now: ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf()",
  );
}

function withoutSynchronous(standbys: readonly Standby[]): Finding {
  if (standbys.length === 0) {
    return warn(
      CHECK,
      'there is no standby: while the database is down, posts get 503; if its disk is lost, so is everything since the last backup',
      'add a synchronous standby (docs/scale-out.md), unless the disk of the database is replicated',
    );
  }
  return warn(
    CHECK,
    `can lose events that were answered with 202: no standby is synchronous (${namesOf(standbys)})`,
    `ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (${standbys.map(({ name }) => `"${name}"`).join(', ')})'; SELECT pg_reload_conf()`,
  );
}

function namesOf(standbys: readonly Standby[]): string {
  return standbys.map(({ name, sync }) => (sync === null ? name : `${name} (${sync})`)).join(', ');
}
