import { queryReader } from '../../query.ts';
import type { Routes } from '../../request-state.ts';
import type { Service } from '../../service.ts';
import { periodOf } from '../../since.ts';
import { unwrap } from '../../unwrap.ts';

export function auditRoutes({ manage, positions, clock }: Service) {
  const read = queryReader('listAudit');
  return {
    async listAudit(context) {
      const { store, workspace } = await manage(context);
      const { since, before: sealed, ...filter } = read(context);
      const list = `audit of ${workspace}`;
      const place = sealed === undefined ? {} : { before: await positions.open(list, sealed, 'before') };
      const page = await store.listAudit({ workspace, ...filter, ...place, ...periodOf({ since }, clock) });
      const { entries, next } = unwrap(page, 'workspace_not_found');
      return { status: 200, body: { entries, next: next === null ? null : await positions.seal(list, next) } };
    },
  } satisfies Routes;
}
