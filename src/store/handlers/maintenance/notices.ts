import { v7 } from 'uuid';
import { storedLoudness } from '../../../contract/loudness.ts';
import { windowTimeInWords } from '../../../contract/maintenance.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';
import type { EngineDeps } from '../handler.ts';
import type { WindowRow } from './rows.ts';

/** Tells a channel's subscribers silently about its windows. Inactive channels get nothing. */
export function windowNotices(sql: Sql, { postOwn }: Pick<EngineDeps, 'postOwn'>) {
  const isActive = sql.value<{ id: number }, 1>("SELECT 1 FROM channel WHERE id = :id AND status = 'active'");

  async function post(window: WindowRow, title: string, lines: readonly string[], now: Moment): Promise<void> {
    const { workspaceId, channelId } = window;
    if ((await isActive({ id: channelId })) === undefined) return;
    const manner = { kind: 'notice', urgency: 'standard', collapseKey: null } as const;
    await postOwn(
      {
        ...manner,
        quiet: storedLoudness({ ...manner, alert: null, nowMs: now.wallMs }),
        uuid: v7({ msecs: now.wallMs }),
        workspaceId,
        channelId,
        alertId: null,
        alert: null,
        title,
        description: lines.join('\n'),
        level: 'info',
        eventType: null,
        expiresInS: null,
        occurredAtMs: null,
        oneText: null,
      },
      now,
    );
  }

  return {
    started: (window: WindowRow, now: Moment) => post(window, titleOf(window, now), detailsOf(window), now),
    changed: (window: WindowRow, now: Moment) =>
      post(window, `Changed: ${titleOf(window, now)}`, detailsOf(window), now),
    /** The window had not begun. */
    cancelled: (window: WindowRow, now: Moment) =>
      post(window, `No maintenance: ${window.channelName}`, detailsOf(window), now),
    /** Nothing that waited is open. */
    over: (window: WindowRow, now: Moment) =>
      post(window, `Maintenance over: ${window.channelName}`, detailsOf(window), now),
  };
}

function titleOf({ channelName, cron, timezone, fromMs, untilMs }: WindowRow, { wallMs }: Moment): string {
  const until = windowTimeInWords(untilMs, timezone);
  if (fromMs <= wallMs) return `Maintenance until ${until}: ${channelName}`;
  const from = windowTimeInWords(fromMs, timezone);
  return `Maintenance ${cron === null ? 'planned' : 'recurs'}, from ${from} until ${until}: ${channelName}`;
}

function detailsOf({ name, only, note }: WindowRow): readonly string[] {
  return [`By ${name}.`, ...(only === null ? [] : [`Only ${only}.`]), ...(note === null ? [] : [note])];
}
