import type { Config } from '../../config/config.ts';
import { databaseOf } from '../../config/database.ts';
import { type Finding, fail, ok, warn } from '../../process/finding.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { type Inspection, inspectPostgres } from '../../store/postgres/inspection.ts';
import { readStoredStatus } from '../../store/postgres/offline.ts';
import { clockOff, failoverFindings, isClockOff, nodeFindings, SET_CLOCKS } from './cluster.ts';
import { checkMoved, schemaFinding } from './database.ts';
import type { LookedInto } from './examined.ts';

/** One more node and one person who inspects the database. */
const FEW_CONNECTIONS = 12;
const LONG_TRANSACTION_MS = 300_000;
const MUCH_KEPT_BYTES = 1024 ** 3;
const MIB = 1024 ** 2;

export async function lookIntoPostgres(
  config: Pick<Config, 'store' | 'handedOver'>,
  reported: LookedInto['stored'],
  isDeep: boolean,
): Promise<LookedInto> {
  try {
    const { url, listenUrl } = databaseOf(config) ?? { url: '' };
    // Testing notices takes a while.
    const shared = await inspectPostgres({ url, ...(isDeep && listenUrl && { listenUrl }) });
    return { shared, stored: reported ?? (await readStoredStatus(url)), findings: postgresFindings(shared) };
  } catch (error) {
    if (!(error instanceof OperatorProblem)) throw error;
    return { stored: reported, findings: [databaseProblem(error)] };
  }
}

/** One that cannot be reached. */
function databaseProblem({ what, advice }: OperatorProblem): Finding {
  return fail(
    'database',
    what,
    advice ?? 'start the database; until then, posts get 503, and accepted events stay in it',
  );
}

export function postgresFindings(found: Inspection): readonly Finding[] {
  return [
    databaseFinding(found),
    ...checkMoved(found.place, found.moved),
    connectionFinding(found),
    ...noticesFindings(found),
    ...failoverFindings(found.durability),
    clockFinding(found),
    connectionsFinding(found),
    ...rightsFindings(found),
    ...growthFindings(found),
    ...nodeFindings(found.nodes),
  ];
}

function databaseFinding({ place, version, onlyReads, schema }: Inspection): Finding {
  const what = `${place} is PostgreSQL ${version}`;
  if (onlyReads) {
    const message = `${what}, and rejects changes: it is a standby, or read-only`;
    const advice = 'set [store] url to the primary, or to an address that follows it';
    return fail('database', message, advice);
  }
  if (schema.version === 0) return ok('database', `${what}, and empty: the first start creates the tables`);
  if (schema.breaks) {
    const message = `${what}, with schema ${schema.version}; this version needs schema ${schema.known}, which older versions cannot use`;
    return fail('database', message, 'run `pushctl migrate`: it makes servers of older versions stop, then upgrades');
  }
  return schemaFinding(what, schema);
}

function connectionFinding({ place, connection: { tls, isVerified, isLocal } }: Inspection): Finding {
  const check = 'way to the database';
  if (tls !== null && isVerified) return ok(check, `uses ${tls}, and the name of the server is verified`);
  if (isLocal) return ok(check, 'stays on this machine');
  const advice = 'set sslmode=verify-full in [store] url, and store.ca_file to the CA of its certificate';
  if (tls !== null)
    return warn(
      check,
      `uses ${tls}, but does not verify the certificate, so another machine can pose as ${place}`,
      advice,
    );
  return warn(check, 'is not encrypted: others can read passwords, event texts and device tokens', advice);
}

function noticesFindings({ notices }: Inspection): readonly Finding[] {
  const check = 'notices';
  if (notices === null) return [];
  if (notices.kind === 'arrive') return [ok(check, `arrive at ${notices.place}`)];
  if (notices.kind === 'unreachable') return [fail(check, notices.problem.what, 'check [store] listen_url')];
  const message = `do not arrive at ${notices.place}: it is a pooler, or another database; nodes notice changes late`;
  const advice = "set [store] listen_url to the database itself, past the pooler, or set the pooler's mode to session";
  return [warn(check, message, advice)];
}

function clockFinding({ clock: { aheadMs, withinMs } }: Inspection): Finding {
  const check = 'database clock';
  if (!isClockOff(aheadMs, withinMs)) return ok(check, 'agrees with the clock of this machine');
  return warn(check, `is ${clockOff(aheadMs, 'the clock of this machine')}`, SET_CLOCKS);
}

function connectionsFinding({ connections: { most, used } }: Inspection): Finding {
  const message = `${used} of ${most} are in use`;
  if (most - used >= FEW_CONNECTIONS) return ok('database connections', message);
  return warn('database connections', message, 'raise max_connections of the database, or put a pooler in front of it');
}

function rightsFindings({ foreignTables }: Inspection): readonly Finding[] {
  const [first] = foreignTables;
  if (first === undefined) return [];
  const more = foreignTables.length === 1 ? '' : ` and ${foreignTables.length - 1} more`;
  const message = `the user in [store] url does not own the table ${first}${more}, and cannot upgrade it`;
  const advice = 'as the owner of the tables or a superuser: REASSIGN OWNED BY <owner> TO <that user>';
  return [fail('database rights', message, advice)];
}

/** Finds what bloats and slows the database without new data. */
function growthFindings({ oldestTransactionMs, keptForAbsent }: Inspection): readonly Finding[] {
  const findings: Finding[] = [];
  if (oldestTransactionMs > LONG_TRANSACTION_MS) {
    const message = `one has been open for ${Math.floor(oldestTransactionMs / 60_000)} minutes, so the database cannot free old rows`;
    findings.push(warn('database transactions', message, END_TRANSACTION));
  }
  if (keptForAbsent !== null && keptForAbsent.bytes > MUCH_KEPT_BYTES) {
    const { slot, bytes } = keptForAbsent;
    const message = `${Math.floor(bytes / MIB)} MiB of log are kept for a standby that is not connected (${slot}); the log grows until the disk is full`;
    const advice = `start that standby, or drop its slot: SELECT pg_drop_replication_slot('${slot}')`;
    findings.push(warn('replication slots', message, advice));
  }
  return findings;
}

const END_TRANSACTION =
  'end it: SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start; then pg_terminate_backend';
