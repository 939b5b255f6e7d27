import { type ActingStore, actingAs } from '../../store/acting.ts';
import { ApiError } from '../errors.ts';
import type { Context } from '../request-state.ts';
import type { Store } from './api-key.ts';
import type { Authenticate } from './session.ts';

/** An owner or admin of the workspace that the address of a request names. */
export interface Manager {
  readonly userId: number;
  readonly workspaceId: number;
  /** The workspace's slug. */
  readonly workspace: string;
  /** Asked in this manager's name: whoever has lost the session or the role by then gets nothing done. */
  readonly store: ActingStore;
}

/** Finds the manager who asks. Throws 401; 404 where they do not belong to that workspace; 403 where they only do that. */
export type AuthorizeManager = (context: Context) => Promise<Manager>;

export function managerAuthorization(store: Store, authenticate: Authenticate): AuthorizeManager {
  return async (context) => {
    const { user, memberships, actor } = await authenticate(context);
    const place = memberships.find(({ slug }) => slug === context.params.workspace);
    if (place === undefined) throw new ApiError('workspace_not_found');
    if (place.role === 'member') throw new ApiError('role_too_low');
    const { workspaceId, slug: workspace } = place;
    return { userId: user.id, workspaceId, workspace, store: actingAs(store, { ...actor, manages: workspaceId }) };
  };
}
