import { parse } from 'uuid';
import { uuidOf } from '../../../contract/public-id.ts';
import { isRefusal, type Refusal, type Watched } from '../../calls.ts';
import { eventElsewhere, noChannelAnywhere, noEvent, routeOff } from '../../refusals.ts';
import type { Db, Handlers, StoreSettings } from '../../sqlite/transaction.ts';
import { lookups, type WorkspaceRow } from '../lookups.ts';
import { IS_THERE } from './events.ts';

interface EventPlace {
  readonly workspace: string;
  /** null: a test push. */
  readonly channel: string | null;
}

/** Looks up what somebody wants to watch, so that nobody waits for what never comes because of a typing error. */
export function watching(db: Db, { routes }: Pick<StoreSettings, 'routes'>): Handlers<'findWatched'> {
  const find = lookups(db);
  const isChannelAnywhere = db.prepare<[string], 1>('SELECT 1 FROM channel WHERE slug = ? LIMIT 1').pluck();
  const placeOf = db.prepare<[Uint8Array], EventPlace>(`
    SELECT workspace.slug AS workspace, channel.slug AS channel
    FROM event JOIN workspace ON workspace.id = event.workspace_id LEFT JOIN channel ON channel.id = event.channel_id
    WHERE event.uuid = ? AND ${IS_THERE}
  `);

  return {
    findWatched(watched) {
      const { workspace: slug, channel, route, event } = watched;
      const workspace = slug === undefined ? null : find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const refusal =
        (channel === undefined ? null : channelProblem(workspace, channel)) ??
        (route === undefined || routes.includes(route) ? null : routeOff(route)) ??
        (event === undefined ? null : eventProblem(event, watched));
      return refusal ?? { workspaceId: workspace?.id ?? null };
    },
  };

  function channelProblem(workspace: WorkspaceRow | null, slug: string): Refusal | null {
    if (workspace === null) return isChannelAnywhere.get(slug) === undefined ? noChannelAnywhere(slug) : null;
    const channel = find.channel(workspace, slug);
    return isRefusal(channel) ? channel : null;
  }

  /** Also where it was posted elsewhere. */
  function eventProblem(publicId: string, { workspace, channel }: Watched): Refusal | null {
    const uuid = uuidOf(publicId);
    const place = uuid === null ? undefined : placeOf.get(parse(uuid));
    if (place === undefined) return noEvent(publicId);
    const isHere =
      (workspace === undefined || workspace === place.workspace) &&
      (channel === undefined || channel === place.channel);
    return isHere ? null : eventElsewhere(publicId, place);
  }
}
