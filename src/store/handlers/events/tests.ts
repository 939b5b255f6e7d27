import { plainEvent } from '../../../contract/event-body.ts';
import type { Route } from '../../../push.ts';
import { IS_REACHED, IS_VOUCHED } from '../people/vouchers.ts';

/** The device that a test push is for, with the workspace that its person joined first, which owns that event. */
export const TESTED_DEVICE = `
  SELECT device.id, route, status, inactive_reason, member.workspace_id
  FROM device JOIN member ON member.user_id = device.user_id
  WHERE device.public_id = :id AND (CAST(:userId AS BIGINT) IS NULL OR device.user_id = :userId)
    AND ${IS_VOUCHED} AND ${IS_REACHED}
  ORDER BY member.created_at, member.workspace_id LIMIT 1`;

export interface TestedDevice {
  readonly id: number;
  readonly route: Route;
  readonly status: 'active' | 'inactive';
  readonly inactive_reason: string | null;
  readonly workspace_id: number;
}

export const TEST_EVENT = plainEvent('test', 'Test push from pushctl');
