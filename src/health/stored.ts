import { backupSeverity, type Finding, fail, SET_CLOCK, warn } from '../process/finding.ts';
import type { NewestDeadLetter, StoredStatus, TroubledWebhook } from '../store/stored-status.ts';
import { toTimestamp } from '../values/timestamp.ts';
import { quarantineFindings } from './routes.ts';

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
