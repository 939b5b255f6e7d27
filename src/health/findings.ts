import {
  backupSeverity,
  type Finding,
  fail,
  graded,
  outageSeverity,
  SET_CLOCK,
  type Severity,
  warn,
} from '../process/finding.ts';
import { explain } from '../providers/explain.ts';
import { APP_NOT_CONFIGURED } from '../providers/outcomes/entry.ts';
import type { Route } from '../push.ts';
import type { RoutePause, RouteState } from '../store/calls.ts';
import type { NewestDeadLetter, StoredStatus, TroubledWebhook } from '../store/stored-status.ts';
import { toTimestamp } from '../values/timestamp.ts';

const HOUR_MS = 3_600_000;
/** Receivers may be silent this long. */
const TROUBLE_MS = HOUR_MS;

/** Returns the problems in the database, with or without a server. */
export function storedFindings({
  routes,
  deadLetter,
  webhooks,
  notShowing,
  unreachable,
  ageHold,
}: Pick<StoredStatus, 'routes' | 'deadLetter' | 'webhooks' | 'notShowing' | 'unreachable' | 'ageHold'>): Finding[] {
  return [
    ...deadLetterFindings(deadLetter),
    ...routes.flatMap(quarantineFindings),
    ...webhooks.troubled.flatMap(webhookFindings),
    ...notShowingFindings(notShowing),
    ...unreachableFindings(unreachable),
    ...ageHoldFindings(ageHold),
  ];
}

function notShowingFindings({ count, first }: StoredStatus['notShowing']): Finding[] {
  if (count === 0) return [];
  const named = first.join(', ');
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const message = `${named}${more} no longer ${count === 1 ? 'reports' : 'report'} that alerts are shown, though the provider accepts them`;
  const advice =
    'have the owner open the app on the device and send a test; if nothing appears, remove the device there and add it again';
  return [warn('devices', message, advice)];
}

/** Reports members of rotas whom alerts of a channel cannot wake. */
function unreachableFindings({ count, first }: StoredStatus['unreachable']): Finding[] {
  if (count === 0) return [];
  const named = first.map(({ email, workspace, channel }) => `${email} for ${workspace}/${channel}`).join(', ');
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  const message = `people of a rota cannot be woken: ${named}${more}`;
  const advice = 'have each subscribe a device that shows pushes, unmuted and on a route that is not paused';
  return [warn('on call', message, advice)];
}

/** Reports that a clock may be wrong, in time to set it before it removes data. */
function ageHoldFindings(hold: StoredStatus['ageHold']): Finding[] {
  if (hold === null) return [];
  const hours = Math.ceil(hold.leftMs / HOUR_MS);
  const message = `the clock is more than a day ahead of the last run (${hold.lastAt}); for another ${hours} h, only time at work makes data old`;
  return [warn('retention', message, `if no server ran for so long, do nothing; otherwise ${SET_CLOCK}`)];
}

/** Reports pushes that wait because of our bug. */
function deadLetterFindings(newest: NewestDeadLetter | null): Finding[] {
  if (newest === null) return [];
  const { count, publicId, route, reason } = newest;
  const newestText = `${publicId} on ${route}: ${reason}`;
  return [
    fail(
      'queue',
      count === 1
        ? `an event could not be processed and is a dead letter: ${newestText}`
        : `${count} events could not be processed and are dead letters, the newest: ${newestText}`,
      'other events are not affected; to retry, run pushctl queue retry (upgrade first, if you can), and report this',
    ),
  ];
}

/**
 * Reports that the last backup is older than `everyMs` allows. A database without any is not reported: the server makes
 * the first at its start, and reports failures.
 */
export function oldBackupFindings(
  lastBackup: StoredStatus['lastBackup'],
  everyMs: number,
  nowMs: number,
): readonly Finding[] {
  if (lastBackup === null || backupSeverity(Date.parse(lastBackup.at), everyMs, nowMs) === 'warn') return [];
  return [
    fail(
      'backup',
      `the last one is from ${lastBackup.at}, which is older than twice backup.every`,
      'check that the server is running, and see pushctl logs --level warn',
    ),
  ];
}

/** Reports repeatedly failing webhooks. A single failure usually passes on retry. */
function webhookFindings({ id, workspace, isDisabled, reason, failingSinceMs }: TroubledWebhook): Finding[] {
  const enable = `pushctl webhook change ${workspace} ${id} --enable`;
  if (isDisabled) {
    const why = reason === 'gone' ? 'its receiver answered 410' : 'its receiver accepted nothing for three days';
    return [
      warn('webhooks', `${id} of ${workspace} is disabled: ${why}`, `remove it, or fix its receiver, then: ${enable}`),
    ];
  }
  if (failingSinceMs === null || Date.now() - failingSinceMs < TROUBLE_MS) return [];
  const message = `${id} of ${workspace} has been failing since ${toTimestamp(failingSinceMs)}: ${reason}`;
  return [warn('webhooks', message, 'fix its receiver; after three days of failures, the webhook is disabled')];
}

/** Returns why routes are paused, merged by the reason of unusable credentials. */
export function pauseFindings(pauses: readonly PausedRoute[], nowMs: number): Finding[] {
  const byReason = Map.groupBy(pauses, ({ route, pause: { kind, reason } }) => (kind === 'off' ? reason : route));
  return [...byReason.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { route, pause } = first;
    const and = others.length === 0 ? '' : ` with ${others.map((other) => other.route).join(', ')}`;
    const message = `has been paused${and} since ${pause.since}, and its pushes wait: ${whyPaused(pause)}`;
    return [graded(severityOf(pause, nowMs), route, message, adviceOn(route, pause))];
  });
}

interface PausedRoute {
  readonly route: Route;
  readonly pause: RoutePause;
}

/** Returns a pause's severity. Credentials never recover alone; operators' pauses are no failures. */
function severityOf({ kind, since }: RoutePause, nowMs: number): Severity {
  if (kind === 'operator') return 'warn';
  return kind === 'unavailable' ? outageSeverity(Date.parse(since), nowMs) : 'fail';
}

/** Returns the reason, with the system's words if any. */
export function whyPaused({ reason, words }: Pick<RoutePause, 'reason' | 'words'>): string {
  return words === undefined ? reason : `${reason}, ${words}`;
}

function adviceOn(route: Route, { kind, reason }: RoutePause): string {
  if (kind === 'operator') return `pushctl route resume ${route}`;
  const remedy = explain(reason)[0]?.remedy;
  if (kind === 'off') return remedy ?? 'replace the credentials: the server loads them within a minute';
  return remedy ?? `the server probes it by itself; to retry at once: pushctl route resume ${route}`;
}

/** Reports rejected devices, possibly the operator's own fault. */
export function quarantineFindings({ route, quarantined }: Pick<RouteState, 'route' | 'quarantined'>): Finding[] {
  return quarantined.map(({ reason, devices, accepted_before, since }) => {
    const isOne = devices === 1;
    const prune = `pushctl device prune --route ${route} --reason ${reason}`;
    if (reason === APP_NOT_CONFIGURED) {
      const message = `${devices} ${isOne ? 'device belongs' : 'devices belong'} to an app that is not configured, since ${since}; ${isOne ? 'its' : 'their'} pushes wait`;
      return warn(
        route,
        message,
        `add the app that pushctl device list shows to apns.topics; if the app is retired: ${prune}`,
      );
    }
    const many = `the provider has refused ${devices} ${isOne ? 'device' : 'devices'} with ${reason} since ${since}`;
    const good = accepted_before === 0 ? '' : `, ${accepted_before} of which got pushes before`;
    return warn(
      route,
      `${many}${good}; ${isOne ? 'its' : 'their'} pushes wait until a push to another device is accepted`,
      `check environment, topic and project; if they are right: ${prune}`,
    );
  });
}

export function isServed(routes: readonly RouteState[]): boolean {
  return routes.some(({ live }) => live !== null);
}

/**
 * Returns why a route is paused. Without a server, only operators' pauses are known; a running one may learn them a
 * moment later.
 */
export function pauseOf({ paused_at, live }: RouteState): RoutePause | null {
  const seen = live?.pause ?? null;
  if (seen !== null && seen.kind !== 'operator') return seen;
  return paused_at === null ? null : { kind: 'operator', reason: 'an operator paused it', since: paused_at };
}
