import { type FieldProblem, fieldProblem } from '../../contract/details.ts';
import { displayName, displayNameProblem, planNameProblem, workspaceSlugProblem } from '../../contract/names.ts';
import { nextMonthMs, toTimestamp } from '../../values/timestamp.ts';
import { isRefusal, type Plan, type Workspace, type WorkspaceWithUsage } from '../calls.ts';
import { invalidField, noPlan, workspaceExists } from '../refusals.ts';
import type { Sql } from '../sql.ts';
import type { EngineDeps, SomeHandlers } from './handler.ts';
import { lookups, type WorkspaceRow } from './lookups.ts';
import { roleRules } from './people/role-rules.ts';
import { monthlyUse, type ReadMonthlyUse } from './quotas.ts';

const DEFAULT_PLAN = 'unlimited';

export function workspaces(sql: Sql, { cleanUp }: EngineDeps) {
  const insert = sql.get<{ slug: string; name: string; plan: string; wallMs: number }, WorkspaceRow>(`
    INSERT INTO workspace (slug, name, plan, created_at) VALUES (:slug, :name, :plan, :wallMs)
    ON CONFLICT (slug) DO NOTHING RETURNING *
  `);
  const readWorkspaces = sql.all<object, WorkspaceRow>('SELECT * FROM workspace ORDER BY slug');
  const rename = sql.run<{ id: number; name: string }>('UPDATE workspace SET name = :name WHERE id = :id');
  const setStatus = sql.run<{ id: number; status: string }>('UPDATE workspace SET status = :status WHERE id = :id');
  const setPlan = sql.run<{ id: number; plan: string }>('UPDATE workspace SET plan = :plan WHERE id = :id');
  const remove = sql.run<{ id: number }>('DELETE FROM workspace WHERE id = :id');
  const planExists = sql.value<{ plan: string }, 1>('SELECT 1 FROM plan WHERE name = :plan');
  const find = lookups(sql);
  const bans = roleRules(sql);
  const readUse = monthlyUse(sql);

  return {
    async createWorkspace({ slug, name: given = slug, plan = DEFAULT_PLAN }, { wallMs }) {
      const name = displayName(given);
      const problem = workspaceSlugProblem(slug) ?? displayNameProblem(name);
      if (problem !== null) return invalidField(problem);
      if ((await planExists({ plan })) === undefined) return noPlan(plan);
      const row = await insert({ slug, name, plan, wallMs });
      return row === undefined ? workspaceExists(slug) : showWorkspace(row);
    },

    listWorkspaces: async () => (await readWorkspaces({})).map(showWorkspace),

    async showWorkspace({ slug }, { wallMs }) {
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      return { ...showWorkspace(workspace), ...(await withUsage(workspace, readUse, wallMs)) };
    },

    async renameWorkspace({ slug, name: given }, _, actor) {
      const name = displayName(given);
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const ban = await bans.renamingWorkspace({ workspaceId: workspace.id, actor });
      if (ban !== null) return ban;
      const problem = displayNameProblem(name);
      if (problem !== null) return invalidField(problem);
      await rename({ id: workspace.id, name });
      return showWorkspace({ ...workspace, name });
    },

    async setWorkspaceStatus({ slug, status }) {
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      await setStatus({ id: workspace.id, status });
      return showWorkspace({ ...workspace, status });
    },

    async setWorkspacePlan({ slug, plan }) {
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      if ((await planExists({ plan })) === undefined) return noPlan(plan);
      await setPlan({ id: workspace.id, plan });
      return showWorkspace({ ...workspace, plan });
    },

    async deleteWorkspace({ slug }) {
      const workspace = await find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      await remove({ id: workspace.id });
      await cleanUp();
      return showWorkspace(workspace);
    },
  } satisfies SomeHandlers;
}

/** Returns a workspace with its used allowance in the month of `wallMs`. */
export async function withUsage(
  { id, slug, name, status, plan }: WorkspaceRow,
  readUse: ReadMonthlyUse,
  wallMs: number,
): Promise<WorkspaceWithUsage> {
  const { allowance, used } = (await readUse(id, wallMs)) ?? { allowance: null, used: 0 };
  return {
    slug,
    name,
    status,
    plan,
    monthly_event_allowance: allowance,
    events_this_month: used,
    allowance_resets_at: toTimestamp(nextMonthMs(wallMs)),
  };
}

function showWorkspace({ slug, name, status, plan, created_at }: WorkspaceRow): Workspace {
  return { slug, name, status, plan, created_at: toTimestamp(created_at) };
}

export function plans(sql: Sql) {
  const upsert = sql.run<{ name: string; monthlyEvents: number | null }>(`
    INSERT INTO plan (name, monthly_events) VALUES (:name, :monthlyEvents)
    ON CONFLICT (name) DO UPDATE SET monthly_events = excluded.monthly_events
  `);
  const readPlans = sql.all<object, Plan>(
    'SELECT name, monthly_events AS monthly_event_allowance FROM plan ORDER BY name',
  );

  return {
    async setPlan({ name, monthlyEvents }) {
      const problem = planNameProblem(name) ?? allowanceProblem(monthlyEvents);
      if (problem !== null) return invalidField(problem);
      await upsert({ name, monthlyEvents });
      return { name, monthly_event_allowance: monthlyEvents };
    },
    listPlans: async () => readPlans({}),
  } satisfies SomeHandlers;
}

function allowanceProblem(monthlyEvents: number | null): FieldProblem | null {
  if (monthlyEvents === null || (Number.isSafeInteger(monthlyEvents) && monthlyEvents >= 0)) return null;
  return fieldProblem('monthly_event_allowance', 'whole_number_from', { least: 0 });
}
