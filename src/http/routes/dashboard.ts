import { parseDurationMs } from '../../config/units.ts';
import type { ApiSchema, QueryOf } from '../../contract/api-types.ts';
import { fieldProblem } from '../../contract/details.ts';
import type { Stopped } from '../../process/finding.ts';
import type { Route } from '../../push.ts';
import { type ActingStore, isRefusal, type RoutePause } from '../../store/calls.ts';
import { bodyReader } from '../body/body-fields.ts';
import { ApiError, fieldError, unwrap } from '../errors.ts';
import { ISSUES } from '../issuing.ts';
import { showLimit } from '../limits/throttles.ts';
import { queryReader } from '../query.ts';
import type { Context, ResponseTo, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';
import { takeEvent } from './events.ts';

export function memberRoutes({ authenticate, manage, config }: Service) {
  const readNew = bodyReader('addMember');
  const readRole = bodyReader('updateMember');

  /** Makes the invitation of a member added or promoted; null: may not be invited any more. */
  async function invite(
    store: ActingStore,
    workspace: string,
    { email }: { readonly email: string },
  ): Promise<ApiSchema<'Pairing'> | null> {
    const { args, shown } = ISSUES.pairing_code(config);
    const made = await store.createPairingCode({ workspace, email, ...args });
    return isRefusal(made) ? null : { ...shown, expires_at: made.expires_at };
  }

  return {
    async leaveWorkspace(context) {
      const { store, user, memberships } = await authenticate(context);
      const place = memberships.find(({ slug }) => slug === context.params.workspace);
      if (place === undefined) throw new ApiError('workspace_not_found');
      unwrap(await store.removeMember({ workspace: place.slug, email: user.email }), 'workspace_not_found');
      return { status: 204 };
    },

    async addMember(context) {
      const { store, workspace } = await manage(context);
      const member = unwrap(await store.addMember({ workspace, ...(await readNew(context)) }), 'workspace_not_found');
      return { status: 201, body: { member, invitation: await invite(store, workspace, member) } };
    },

    async updateMember(context) {
      const { store, workspace } = await manage(context);
      const { role } = await readRole(context);
      const { email } = context.params;
      const changed = unwrap(await store.setMemberRole({ workspace, email, role }), 'member_not_found');
      const { member, waits } = changed;
      const invitation = waits ? await invite(store, workspace, member) : null;
      return { status: 200, body: { member, invitation } };
    },
  } satisfies Routes;
}

type Changed = ResponseTo<'subscribeMembersDevice' | 'unsubscribeMembersDevice'>;

export function managedDeviceRoutes({ manage }: Service) {
  /** PUT, DELETE /v1/workspaces/{workspace}/devices/{device}/subscriptions/{channel} */
  async function changeSubscription(context: Context, call: 'subscribeDevice' | 'unsubscribeDevice'): Promise<Changed> {
    const { store, workspace } = await manage(context);
    const { device: id, channel } = context.params;
    unwrap(await store.showDevice({ workspace, id }), 'members_device_not_found');
    unwrap(await store[call]({ workspace, id, channels: [channel] }), 'channel_not_found');
    return { status: 204 };
  }

  return {
    subscribeMembersDevice: (context) => changeSubscription(context, 'subscribeDevice'),
    unsubscribeMembersDevice: (context) => changeSubscription(context, 'unsubscribeDevice'),
  } satisfies Routes;
}

export function managedEventRoutes({ acceptance, manage }: Service) {
  return {
    /** Answers POST /v1/workspaces/{workspace}/events. Links of replays are not compared: the mark needs an API key. */
    async sendEvent(context) {
      const { store, workspaceId } = await manage(context, 'active');
      const poster = { store, workspaceId, boundKeyId: null, postedBy: null, defaults: null, markOf: () => null };
      return takeEvent(acceptance, context, { ...poster, showLimit: (limit) => showLimit(context, limit) });
    },
  } satisfies Routes;
}

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 366;
/** Longer periods are shown by days unless hours are requested. */
const BY_HOUR_UP_TO_MS = 7 * DAY_MS;

const STOPPABLE: readonly Stopped[] = ['events', 'deliveries'];

export function statisticsRoutes({ manage, clock, explain, liveRoutes, findings }: Service) {
  const readPeriod = queryReader('getWorkspaceStats');
  return {
    async getWorkspaceStats(context) {
      const { store, workspace } = await manage(context);
      const { spanMs, by } = periodOf(readPeriod(context));
      const asked = await store.stats({ workspace, sinceMs: clock.wallMs() - spanMs, by });
      const stats = unwrap(asked, 'workspace_not_found');
      const reasons = stats.reasons.map((row) => ({ ...row, ...explained(explain, row.route, row.reason) }));
      const paused = [...(liveRoutes?.() ?? [])].flatMap(([route, { pause }]) =>
        pause === null ? [] : { route, ...withoutWords(pause), ...explained(explain, route, pause.reason) },
      );
      const stopped = await Promise.all(STOPPABLE.map(async (what) => ((await findings.stopping(what)) ? what : [])));
      return { status: 200, body: { stats: { ...stats, reasons }, paused_routes: paused, stopped: stopped.flat() } };
    },
  } satisfies Routes;
}

/** Returns a reason's explanation; null: unknown. */
function explained(explain: Service['explain'], route: Route, reason: string) {
  const { means, remedy } = explain(route, reason) ?? { means: null, remedy: null };
  return { means, remedy };
}

function periodOf({ since = '24h', by }: QueryOf<'getWorkspaceStats'>): { spanMs: number; by: 'hour' | 'day' } {
  const spanMs = parseDurationMs(since);
  if (spanMs === null || spanMs > LONGEST_DAYS * DAY_MS) {
    throw fieldError(fieldProblem('since', 'duration_long', { most: LONGEST_DAYS }));
  }
  return { spanMs, by: by ?? (spanMs > BY_HOUR_UP_TO_MS ? 'day' : 'hour') };
}

/** Removes words with the operator's addresses. */
function withoutWords({ kind, reason, since }: RoutePause): Omit<RoutePause, 'words'> {
  return { kind, reason, since };
}
