import type { AuditFilter } from '../../../store/calls/members.ts';
import { PAGE, queryReader } from '../../query.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { periodOf } from '../../since.ts';
import { unwrap } from '../../unwrap.ts';

interface AuditQuery extends Pick<AuditFilter, 'actor' | 'action' | 'before'> {
  readonly since?: string;
  readonly limit?: number;
}

export function auditRoutes({ manage, clock }: Service) {
  const read = queryReader<AuditQuery>('listAudit');
  return {
    async listAudit(context) {
      const { store, workspace } = await manage(context);
      const { since, limit = PAGE, ...filter } = read(context);
      const page = await store.listAudit({ workspace, limit, ...filter, ...periodOf({ since }, clock) });
      return { status: 200, body: unwrap(page, 'workspace_not_found') };
    },
  } satisfies Routes;
}
