import { ROUTES, type Route } from '../../../push.ts';
import { toTimestamp, toTimestampOrNull } from '../../../values/timestamp.ts';
import { isRefusal } from '../../calls.ts';
import { badCursor } from '../../refusals.ts';
import { indexRange, type Sql } from '../../sql.ts';
import { POLICY_FIELDS, type PolicyRow, policyOf } from '../channels.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups } from '../lookups.ts';
import { pageOf } from '../pages.ts';
import { SOUND_FIELDS, type SoundRow, soundFieldsOf } from '../sounds.ts';
import { DEVICE_FIELDS, type DeviceRow, shownDevice } from './devices.ts';

/** A channel's subscriptions lie in the index by route and activity: each pair is a stretch. */
const STRETCHES = ROUTES.flatMap((route) => ([0, 1] as const).map((active) => ({ route, active })));

/** Behind a stretch's subscription. */
interface Cursor {
  readonly stretch: number;
  readonly number: number;
}
type SubscriberRow = DeviceRow & { readonly email: string; readonly number: number };

const BEGINNING: Cursor = { stretch: 0, number: 0 };
const CURSOR = /^(\d{1,2}) (\d{1,15})$/;

export function subscribers(sql: Sql) {
  const createdAt = sql.value<{ id: number }, number>('SELECT created_at FROM channel WHERE id = :id');
  const policyFields = sql.get<{ id: number }, PolicyRow & SoundRow>(
    `SELECT ${POLICY_FIELDS}, ${SOUND_FIELDS} FROM channel WHERE id = :id`,
  );
  const subscriberCounts = sql.all<{ id: number }, { route: Route; devices: number }>(
    'SELECT route, devices FROM audience WHERE channel_id = :id AND devices > 0',
  );
  const boundKeys = sql.all<{ id: number }, { id: string; name: string }>(`
    SELECT api_key.id, api_key.name FROM key_channel JOIN api_key ON api_key.id = key_channel.key_id
    WHERE key_channel.channel_id = :id AND api_key.revoked_at IS NULL ORDER BY api_key.created_at, api_key.id
  `);
  const lastEventAt = sql.value<{ id: number }, number>(
    `SELECT received_at FROM event WHERE ${indexRange('event', ['channel_id', 'id'], ':id')} AND kind IS NULL
     ORDER BY channel_id DESC, id DESC LIMIT 1`,
  );
  const stretchOf = sql.parts<Record<string, string | number>, SubscriberRow>(`
    SELECT ${DEVICE_FIELDS}, person.email, subscription.number
    FROM subscription
    JOIN device ON device.id = subscription.device_id
    JOIN person ON person.id = device.user_id
    WHERE subscription.channel_id = :channelId AND subscription.route = :route AND subscription.active = :active
      AND subscription.number > :number
    ORDER BY subscription.number
  `);
  const find = lookups(sql);

  async function* behind(place: Cursor, of: { channelId: number; workspaceId: number }) {
    for (const [index, { route, active }] of STRETCHES.entries()) {
      if (index < place.stretch) continue;
      const number = index === place.stretch ? place.number : 0;
      for await (const rows of stretchOf({ ...of, route, active, number })) {
        yield rows.map((row) => ({ stretch: index, row }));
      }
    }
  }

  return {
    showChannel: find.withWorkspace(async (workspace, { slug }) => {
      const channel = await find.channel(workspace, slug);
      if (isRefusal(channel)) return channel;
      const { id, name, status } = channel;
      const counts = await subscriberCounts({ id });
      const policy = await policyFields({ id });
      return {
        slug,
        name,
        status,
        insist: policy === undefined ? null : policyOf(policy),
        ...soundFieldsOf(policy ?? { quiet: null, rings: null }),
        device_count: counts.reduce((sum, { devices }) => sum + devices, 0),
        created_at: toTimestamp((await createdAt({ id })) ?? 0),
        routes: ROUTES.flatMap((route) => counts.filter((count) => count.route === route)),
        bound_keys: await boundKeys({ id }),
        last_event_at: toTimestampOrNull((await lastEventAt({ id })) ?? null),
      };
    }),

    listSubscribers: find.withWorkspace(async (workspace, { slug, limit, after }) => {
      const channel = await find.channel(workspace, slug);
      if (isRefusal(channel)) return channel;
      const place = after === undefined ? BEGINNING : placeOf(after);
      if (place === null) return badCursor('after');
      const parts = behind(place, { channelId: channel.id, workspaceId: workspace.id });
      const { entries, hasMore } = await pageOf(parts, showSubscriber, ({ device }) => device.channels.length, limit);
      return { devices: entries.map(({ device }) => device), next: hasMore ? (entries.at(-1)?.cursor ?? null) : null };
    }),
  } satisfies SomeHandlers;
}

/** Reads a cursor, whose number outlasts its subscription. */
function placeOf(after: string): Cursor | null {
  const [, stretch, number] = CURSOR.exec(after) ?? [];
  return stretch === undefined ? null : { stretch: Number(stretch), number: Number(number) };
}

function showSubscriber({ stretch, row: { number, email, ...row } }: { stretch: number; row: SubscriberRow }) {
  return { device: { ...shownDevice(row), email }, cursor: `${stretch} ${number}` };
}
