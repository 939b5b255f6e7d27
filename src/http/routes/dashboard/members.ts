import type { ApiSchema } from '../../../contract/api-types.ts';
import { type ActingStore, isRefusal } from '../../../store/calls.ts';
import { bodyReader } from '../../body/body-fields.ts';
import { ApiError } from '../../errors.ts';
import { ISSUES } from '../../issuing.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { unwrap } from '../../unwrap.ts';

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
