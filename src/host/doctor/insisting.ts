import type { Config } from '../../config/config.ts';
import { LEAST_REPEAT_OF_NOTIFICATIONS_S as LEAST_S } from '../../contract/insist.ts';
import { type Finding, ok, warn } from '../../finding.ts';
import type { StoredStatus } from '../../store/stored-status.ts';

const LIMIT = 'after a burst Google lets one notification in three minutes through to a device';
const ADVICE =
  'give them a --repeat of 3m or more (pushctl channel insist), or have the app draw its notifications: fcm.style = "data"';
/** Named in a finding. */
const NAMED = 3;

/** Channels whose reminders Google would hold back. `stored`: of a server of another version, which may lack them. */
export function checkInsisting(config: Pick<Config, 'fcm'>, stored: Partial<StoredStatus> | null): Finding[] {
  const often = stored?.insistOften ?? [];
  if (config.fcm?.style !== 'notification' || often.length === 0) return [];
  const names = `${often.slice(0, NAMED).join(', ')}${often.length > NAMED ? ' and others' : ''}`;
  return [warn('reminders', `more often than every ${LEAST_S} s in ${names}, and ${LIMIT}`, ADVICE)];
}

/** The configuration alone knows no channels. */
export function checkStyle(config: Pick<Config, 'fcm'>): Finding[] {
  if (config.fcm?.style !== 'notification') return [];
  return [ok('reminders', `${LIMIT}: give channels that insist a --repeat of ${LEAST_S} s or more`)];
}
