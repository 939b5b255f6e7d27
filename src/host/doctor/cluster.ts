import { type Finding, fail, ok, warn } from '../../process/finding.ts';
import type { Durability, Standby } from '../../store/postgres/inspection.ts';
import type { NodeState } from '../../store/postgres/nodes/states.ts';
import { isJsonObject } from '../../values/json.ts';

const NODES = 'nodes';
/** Three beats. */
const QUIET_MS = 6_000;
const FINE_CLOCK_MS = 1_000;

/** Checks that the store's servers have the same settings. */
export function nodeFindings(nodes: readonly NodeState[]): readonly Finding[] {
  if (nodes.length === 0) return [warn(NODES, 'no server is running', 'systemctl start pushctl')];
  const names = [...new Set(nodes.map(({ name }) => name))];
  const served =
    nodes.length === 1
      ? ok(NODES, `only ${names[0]} is running: while it is down, no events are accepted`)
      : ok(NODES, `${nodes.length} are running: ${nodes.map(({ name }) => name).join(', ')}`);
  return [
    served,
    ...names.filter((name) => nodes.filter((node) => node.name === name).length > 1).map(nameTwice),
    ...versionFindings(nodes),
    ...settingFindings(nodes),
    ...nodes.filter(isQuiet).map(quietFinding),
    ...nodes.flatMap(refusalFindings),
    ...nodes.filter(({ hears }) => hears === false).map(deafFinding),
    ...nodes.filter(({ clockAheadMs }) => isClockOff(clockAheadMs)).map(clockFinding),
  ];
}

/** Returns whether it missed beats: frozen, overloaded, or cut off. */
export function isQuiet({ silentMs }: Pick<NodeState, 'silentMs'>): boolean {
  return silentMs > QUIET_MS;
}

/** Returns why a server accepts no events, in its own last report; null: it does. */
export function refusalOf({ health }: Pick<NodeState, 'health'>): string | null {
  return typeof health.refuses_events === 'string' ? health.refuses_events : null;
}

function refusalFindings(node: NodeState): readonly Finding[] {
  const reason = refusalOf(node);
  if (reason === null || isQuiet(node)) return [];
  const message = `${node.name} accepts no events: ${reason}`;
  return [fail(NODES, message, 'see the log on that machine: pushctl logs --level warn')];
}

function nameTwice(name: string): Finding {
  const message = `two servers are called ${name}: either it was just restarted, or two machines use the name`;
  const advice = 'give each machine its own [store] node';
  return warn(NODES, message, advice);
}

function versionFindings(nodes: readonly NodeState[]): readonly Finding[] {
  if (new Set(nodes.map(({ version }) => version)).size === 1) return [];
  const versions = nodes.map(({ name, version }) => `${name} ${version}`).join(', ');
  return [warn(NODES, `servers run different versions: ${versions}`, 'upgrade the older servers')];
}

/** Settings missing on some servers belong to another version. */
function settingFindings(nodes: readonly NodeState[]): readonly Finding[] {
  const reports = nodes.map(({ name, health: { settings } }) => ({
    name,
    settings: isJsonObject(settings) ? settings : {},
  }));
  const paths = [...new Set(reports.flatMap(({ settings }) => Object.keys(settings)))].toSorted();
  return paths.flatMap((path) => {
    const having = reports.filter(({ settings }) => path in settings);
    if (new Set(having.map(({ settings }) => settings[path])).size === 1) return [];
    const values = having.map(({ name, settings }) => `${name} ${settings[path] || 'empty'}`).join(', ');
    return [warn(NODES, `${path} differs between the servers: ${values}`, SAME_SETTINGS)];
  });
}

const SAME_SETTINGS = 'set the same value on all machines, then restart the changed ones: systemctl restart pushctl';

function quietFinding({ name, leaseLeftMs, silentMs }: NodeState): Finding {
  const silentS = Math.round(silentMs / 1000);
  const next =
    leaseLeftMs > 0
      ? `in ${Math.ceil(leaseLeftMs / 1000)} s the others take over its pushes`
      : 'the others take over its pushes';
  return warn(NODES, `${name} has been silent for ${silentS} s; ${next}`, 'see the log on that machine: pushctl logs');
}

function deafFinding({ name }: NodeState): Finding {
  const message = `${name} receives no notices, so it polls for changes once a second`;
  const advice = 'run pushctl doctor on that machine; behind a pooler, set [store] listen_url';
  return warn(NODES, message, advice);
}

function clockFinding({ name, clockAheadMs }: NodeState): Finding {
  return warn(NODES, `the clock of ${name} is ${clockOff(clockAheadMs, 'the clock of the database')}`, SET_CLOCKS);
}

export const SET_CLOCKS = 'synchronize the clocks of all machines: timedatectl set-ntp true';

/** `withinMs`: how exactly it is known. */
export function isClockOff(aheadMs: number, withinMs = 0): boolean {
  return Math.abs(aheadMs) > FINE_CLOCK_MS + withinMs;
}

/** In words. */
export function clockOff(aheadMs: number, other: string): string {
  return `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${other}`;
}

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

const FAILOVER = 'failover';
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
      FAILOVER,
      `loses events that were accepted just before: synchronous_commit is ${synchronousCommit}, so commits do not wait for a standby`,
      'ALTER ROLE … RESET synchronous_commit for the user in [store] url, and synchronous_commit = on in postgresql.conf',
    );
  }
  const waitedFor = standbys.filter(({ sync }) => WAITED_FOR.has(sync));
  if (waitedFor.length > 0) return ok(FAILOVER, `loses nothing: each commit waits for ${namesOf(waitedFor)}`);
  if (standbys.some(({ sync }) => sync === null)) {
    const message = `this user cannot see whether a standby is synchronous; synchronous_standby_names is ${names}`;
    const advice = 'GRANT pg_read_all_stats to the user in [store] url';
    return warn(FAILOVER, message, advice);
  }
  return fail(
    FAILOVER,
    `commits wait for a standby of synchronous_standby_names (${names}), and none is connected`,
    "start a standby; or, to run on the primary alone for now: ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf()",
  );
}

function withoutSynchronous(standbys: readonly Standby[]): Finding {
  if (standbys.length === 0) {
    return warn(
      FAILOVER,
      'there is no standby: while the database is down, posts get 503; if its disk is lost, so is everything since the last backup',
      'add a synchronous standby (docs/scale-out.md), unless the disk of the database is replicated',
    );
  }
  return warn(
    FAILOVER,
    `can lose events that were answered with 202: no standby is synchronous (${namesOf(standbys)})`,
    `ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (${standbys.map(({ name }) => `"${name}"`).join(', ')})'; SELECT pg_reload_conf()`,
  );
}

function namesOf(standbys: readonly Standby[]): string {
  return standbys.map(({ name, sync }) => (sync === null ? name : `${name} (${sync})`)).join(', ');
}
