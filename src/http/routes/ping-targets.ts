import type { Ping, PingAnswer } from '../../store/calls.ts';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import type { Service } from '../service.ts';
import { unwrap } from '../unwrap.ts';

/** A heartbeat by UUID, or by ping key and slug. `end`: the remaining path. */
export type PingAddress = { readonly end: string | undefined } & (
  | { readonly uuid: string }
  | { readonly key: string; readonly slug: string }
);

export interface PingTarget {
  /** The limit on pings counts by this name. */
  readonly name: string;
  /** Whether the ping adds the heartbeat. */
  readonly isNew: boolean;
  ping(ping: Omit<Ping, 'uuid'>): Promise<PingAnswer>;
}

type NoTarget = 'unknown' | 'bad' | 'ambiguous';

/** Healthchecks' slugs. */
const SLUG = /^[-\w]+$/;

/** Finds a heartbeat as Healthchecks does: lower-case slugs; `create=1` adds one. */
export function pingTargets({ store: open, authorize }: Service) {
  async function byUuid(uuid: string): Promise<PingTarget | NoTarget> {
    if (!(await open.knowsHeartbeat({ uuid }))) return 'unknown';
    return { name: uuid, isNew: false, ping: (ping) => open.pingHeartbeat({ ...ping, uuid }) };
  }

  async function byName(context: Context, token: string, slug: string, canCreate: boolean) {
    if (!SLUG.test(slug)) return 'unknown';
    if (slug !== slug.toLowerCase()) return 'bad';
    const caller = await authorize(context, ['heartbeats:ping'], token).catch(ignoringUnknownKeys);
    if (caller === null) return 'unknown';
    const { key, store } = caller;
    const { origin } = key;
    const named = { workspaceId: key.workspaceId, keyId: key.id, origin, slug };
    const found = await store.findNamedHeartbeat(named);
    if (found.kind === 'ambiguous') return 'ambiguous';
    if (found.kind === 'unreachable' || (found.kind === 'none' && !canCreate)) return 'unknown';
    if (found.kind === 'none' && key.workspaceStatus !== 'active') throw new ApiError('workspace_inactive');
    const known = found.kind === 'found' ? found.uuid : null;
    return {
      name: known ?? `${origin} ${slug}`,
      isNew: known === null,
      async ping(ping: Omit<Ping, 'uuid'>) {
        const uuid = known ?? unwrap(await store.addNamedHeartbeat(named), 'heartbeat_not_found').uuid;
        return store.pingHeartbeat({ ...ping, uuid, pingedBy: origin });
      },
    };
  }

  return (context: Context, address: PingAddress, canCreate: boolean): Promise<PingTarget | NoTarget> =>
    'uuid' in address ? byUuid(address.uuid) : byName(context, address.key, address.slug, canCreate);
}

/** Treats unknown keys like unknown addresses. */
function ignoringUnknownKeys(error: unknown): null {
  if (error instanceof ApiError && error.code === 'unauthenticated') return null;
  throw error;
}
