import { type Finding, fail } from '../finding.ts';
import type { NewestSetAside, StoredStatus } from '../store/stored-status.ts';
import { suspectFindings } from './routes.ts';

/** What is wrong by what the database shows, whether or not a server runs. */
export function storedFindings({ routes, setAside }: Pick<StoredStatus, 'routes' | 'setAside'>): Finding[] {
  return [...setAsideFindings(setAside), ...routes.flatMap(suspectFindings)];
}

/** Pushes that wait because of an error of our own. */
export function setAsideFindings(newest: NewestSetAside | null): Finding[] {
  if (newest === null) return [];
  const { count, publicId, route, reason } = newest;
  const one = `${publicId} on ${route}: ${reason}`;
  return [
    fail(
      'queue',
      count === 1
        ? `an event could not be worked off and is set aside, ${one}`
        : `${count} events could not be worked off and are set aside, the newest ${one}`,
      'nothing else waits for that; restart the service (a newer version where there is one) to try again, and report this',
    ),
  ];
}
