import { uuidBytesOf } from '../../../contract/public-id.ts';
import { isRefusal, type Refusal, type Watched } from '../../calls.ts';
import { eventElsewhere, noChannelAnywhere, noEvent, routeOff } from '../../refusals.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Sql } from '../../sql.ts';
import type { SomeHandlers } from '../handler.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { IS_THERE } from './states.ts';

interface EventPlace {
  readonly workspace: string;
  /** null: a test push. */
  readonly channel: string | null;
}

/** Looks up the watched thing: no client waits in vain after a typing error. */
export function watching(sql: Sql, { routes }: Pick<StoreSettings, 'routes'>) {
  const find = lookups(sql);
  const isChannelAnywhere = sql.value<{ slug: string }, 1>('SELECT 1 FROM channel WHERE slug = :slug LIMIT 1');
  const placeOf = sql.get<{ uuid: Uint8Array | null }, EventPlace>(`
    SELECT workspace.slug AS workspace, channel.slug AS channel
    FROM event JOIN workspace ON workspace.id = event.workspace_id LEFT JOIN channel ON channel.id = event.channel_id
    WHERE event.uuid = :uuid AND ${IS_THERE}
  `);

  return {
    async findWatched(watched) {
      const { workspace: slug, channel, route, event } = watched;
      const workspace = slug === undefined ? null : await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const refusal =
        (channel === undefined ? null : await channelProblem(workspace, channel)) ??
        (route === undefined || routes.includes(route) ? null : routeOff(route)) ??
        (event === undefined ? null : await eventProblem(event, watched));
      return refusal ?? { workspaceId: workspace?.id ?? null };
    },
  } satisfies SomeHandlers;

  async function channelProblem(workspace: WorkspaceRow | null, slug: string): Promise<Refusal | null> {
    if (workspace === null) return (await isChannelAnywhere({ slug })) === undefined ? noChannelAnywhere(slug) : null;
    const channel = await find.channel(workspace, slug);
    return isRefusal(channel) ? channel : null;
  }

  /** Refuses an event of another workspace or channel. */
  async function eventProblem(publicId: string, { workspace, channel }: Watched): Promise<Refusal | null> {
    const place = await placeOf({ uuid: uuidBytesOf(publicId) });
    if (place === undefined) return noEvent(publicId);
    const isHere =
      (workspace === undefined || workspace === place.workspace) &&
      (channel === undefined || channel === place.channel);
    return isHere ? null : eventElsewhere(publicId, place);
  }
}
