import { plainEvent } from '../../../contract/event-body.ts';
import type { StoredQuiet } from '../../../contract/loudness.ts';
import type { PostedEvent, Route } from '../../../push.ts';
import { ifGiven } from '../../sql.ts';
import { IS_REACHED, IS_VOUCHED } from '../people/vouchers.ts';

/** A test push's device, with its person's first workspace, which owns the event. */
export const TESTED_DEVICE = `
  SELECT device.id, route, status, inactive_reason, member.workspace_id
  FROM device JOIN member ON member.user_id = device.user_id
  WHERE device.public_id = :id AND ${ifGiven('userId', 'device.user_id = :userId')}
    AND ${IS_VOUCHED} AND ${IS_REACHED}
  ORDER BY member.created_at, member.workspace_id LIMIT 1`;

export interface TestedDevice {
  readonly id: number;
  readonly route: Route;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly workspace_id: number;
}

const TEST_EVENT = plainEvent('test', 'Test push from pushctl');
const FIX =
  'Open the app on that device and send a test. If nothing appears, remove the device there and add it again.';

/** Returns a test push's event. `notShowing`: another device of the person, not showing, named silently. */
export function testEvent(notShowing?: string): { readonly event: PostedEvent; readonly quiet: string | null } {
  if (notShowing === undefined) return { event: TEST_EVENT, quiet: null };
  const title = `${notShowing} no longer shows alerts`;
  const quiet: StoredQuiet = { reason: 'notice' };
  return {
    event: { ...TEST_EVENT, title, description: FIX, level: 'warning' },
    quiet: JSON.stringify(quiet),
  };
}
