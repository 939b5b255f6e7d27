import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { storedLoudness } from '../../../contract/loudness.ts';
import type { OnCallNotice } from '../../../contract/on-call/notices.ts';
import type { Moment } from '../../../process/clock.ts';
import type { Sql } from '../../sql.ts';
import type { OwnDevice } from '../events/left-out.ts';
import type { EngineDeps } from '../handler.ts';
import { devicesForRota } from './devices.ts';

/** A push to a person, or the data of a handover's message for webhooks. */
export type Announcement = OnCallNotice | { readonly message: object };

const INSERT = `
  INSERT INTO on_call_notice (workspace_id, rota_id, notices) VALUES (:workspaceId, :rotaId, :notices)`;

/** `isWanted`: the workspace is there. */
const FIRST = `
  SELECT on_call_notice.id, workspace_id AS "workspaceId", rota_id AS "rotaId", notices,
    CASE WHEN EXISTS (SELECT 1 FROM workspace WHERE workspace.id = workspace_id) THEN 1 ELSE 0 END AS "isWanted"
  FROM on_call_notice WHERE on_call_notice.id > 0 ORDER BY on_call_notice.id LIMIT 1`;

const MESSAGE = `
  INSERT INTO webhook_message (webhook_id, workspace_id, message, kind, subject, data, at)
  SELECT id, workspace_id, CAST(:message AS TEXT), 'on_call.handover', CAST(:subject AS TEXT), CAST(:data AS TEXT),
    CAST(:wallMs AS BIGINT)
  FROM webhook
  WHERE workspace_id = CAST(:workspaceId AS BIGINT) AND status = 'active' AND kinds LIKE '% on_call.handover %'`;

interface Waiting {
  readonly id: number;
  readonly workspaceId: number;
  readonly rotaId: number;
  readonly notices: string;
  readonly isWanted: 0 | 1;
}

/** Keeps announcements, and posts them in steps: quiet pushes to people, and messages for webhooks. */
export function onCallNotices(sql: Sql) {
  const insert = sql.insert<object>(INSERT);
  const first = sql.get<object, Waiting>(FIRST);
  const keepRest = sql.run<{ id: number; notices: string }>(
    'UPDATE on_call_notice SET notices = :notices WHERE id = :id',
  );
  const remove = sql.run<{ id: number }>('DELETE FROM on_call_notice WHERE id = :id');
  const message = sql.run<object>(MESSAGE);
  const devicesOf = devicesForRota(sql);

  /** Returns how many rows changed. */
  async function postOne(
    announcement: Announcement,
    { workspaceId, rotaId }: Waiting,
    { postOwn }: Pick<EngineDeps, 'postOwn'>,
    now: Moment,
  ): Promise<number> {
    if ('message' in announcement) {
      const words = { message: randomUUID().replaceAll('-', ''), subject: `rota ${rotaId}` };
      return message({ ...words, workspaceId, data: JSON.stringify(announcement.message), wallMs: now.wallMs });
    }
    const devices = await devicesOf(rotaId, announcement.person);
    if (devices.length > 0) await postOwn(eventOf(announcement, workspaceId, devices, now), now);
    return 1 + devices.length;
  }

  return {
    /** Writes one row, however many people: a change stays small. */
    async add(rota: { readonly id: number; readonly workspaceId: number }, announcements: readonly Announcement[]) {
      if (announcements.length === 0) return;
      await insert({ workspaceId: rota.workspaceId, rotaId: rota.id, notices: JSON.stringify(announcements) });
    },

    isAny: async () => (await first({})) !== undefined,

    /** Posts until about `most` rows have changed. An announcement leaves its row in the transaction that posts it. */
    async post(most: number, deps: Pick<EngineDeps, 'postOwn'>, now: Moment): Promise<void> {
      for (let rows = 0; rows < most; rows += 1) {
        const waiting = await first({});
        if (waiting === undefined) return;
        const rest: Announcement[] = waiting.isWanted === 1 ? JSON.parse(waiting.notices) : [];
        for (let next = rest.shift(); next !== undefined; next = rows < most ? rest.shift() : undefined)
          rows += await postOne(next, waiting, deps, now);
        if (rest.length === 0) await remove(waiting);
        else await keepRest({ id: waiting.id, notices: JSON.stringify(rest) });
      }
    },
  };
}

function eventOf(
  { title, description, expiresInS }: OnCallNotice,
  workspaceId: number,
  onlyOn: readonly OwnDevice[],
  { wallMs }: Moment,
) {
  const manner = { kind: 'notice', urgency: 'standard', collapseKey: null } as const;
  return {
    ...manner,
    quiet: storedLoudness({ ...manner, alert: null, nowMs: wallMs }),
    uuid: v7({ msecs: wallMs }),
    workspaceId,
    channelId: null,
    alertId: null,
    alert: null,
    title,
    description,
    level: 'info',
    eventType: null,
    expiresInS,
    occurredAtMs: null,
    oneText: null,
    onlyOn,
  } as const;
}
