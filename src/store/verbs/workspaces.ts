import { displayNameProblem, fieldProblem, workspaceSlugProblem } from '../../contract/names.ts';
import { nextMonthMs, toTimestamp } from '../../timestamp.ts';
import { isRefusal, type Workspace, type WorkspaceWithUsage } from '../calls.ts';
import { invalidField, noPlan, workspaceExists } from '../refusals.ts';
import { STEP_ROWS } from '../sqlite/retention/drains.ts';
import { remainsDrain } from '../sqlite/retention/remains.ts';
import type { Db, Handlers } from '../sqlite/transaction.ts';
import { lookups, type WorkspaceRow } from './lookups.ts';
import { type UsageCounters, usageCounters } from './usage.ts';

const DEFAULT_PLAN = 'unlimited';

export function workspaces(
  db: Db,
): Handlers<
  | 'createWorkspace'
  | 'listWorkspaces'
  | 'showWorkspace'
  | 'renameWorkspace'
  | 'setWorkspaceStatus'
  | 'setWorkspacePlan'
  | 'deleteWorkspace'
> {
  const insert = db.prepare<{ slug: string; name: string; plan: string; wallMs: number }, WorkspaceRow>(`
    INSERT INTO workspace (slug, name, plan, created_at) VALUES (:slug, :name, :plan, :wallMs)
    ON CONFLICT DO NOTHING RETURNING *
  `);
  const all = db.prepare<[], WorkspaceRow>('SELECT * FROM workspace ORDER BY slug');
  const rename = db.prepare<[string, number]>('UPDATE workspace SET name = ? WHERE id = ?');
  const setStatus = db.prepare<[string, number]>('UPDATE workspace SET status = ? WHERE id = ?');
  const setPlan = db.prepare<[string, number]>('UPDATE workspace SET plan = ? WHERE id = ?');
  const remove = db.prepare<[number]>('DELETE FROM workspace WHERE id = ?');
  const removeRemains = remainsDrain(db);
  const planExists = db.prepare<[string], 1>('SELECT 1 FROM plan WHERE name = ?').pluck();
  const find = lookups(db);
  const counters = usageCounters(db);

  return {
    createWorkspace({ slug, name = slug, plan = DEFAULT_PLAN }, { wallMs }) {
      const problem =
        fieldProblem('slug', workspaceSlugProblem(slug)) ?? fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      if (planExists.get(plan) === undefined) return noPlan(plan);
      const row = insert.get({ slug, name, plan, wallMs });
      return row === undefined ? workspaceExists(slug) : shown(row);
    },

    listWorkspaces: () => all.all().map(shown),

    showWorkspace({ slug }, { wallMs }) {
      const workspace = find.workspace(slug);
      return isRefusal(workspace) ? workspace : { ...shown(workspace), ...withUsage(workspace, counters, wallMs) };
    },

    renameWorkspace({ slug, name }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      const problem = fieldProblem('name', displayNameProblem(name));
      if (problem !== null) return invalidField(problem);
      rename.run(name, workspace.id);
      return shown({ ...workspace, name });
    },

    setWorkspaceStatus({ slug, status }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      setStatus.run(status, workspace.id);
      return shown({ ...workspace, status });
    },

    setWorkspacePlan({ slug, plan }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      if (planExists.get(plan) === undefined) return noPlan(plan);
      setPlan.run(plan, workspace.id);
      return shown({ ...workspace, plan });
    },

    deleteWorkspace({ slug }) {
      const workspace = find.workspace(slug);
      if (isRefusal(workspace)) return workspace;
      remove.run(workspace.id);
      removeRemains(STEP_ROWS);
      return shown(workspace);
    },
  };
}

/** A workspace with what it has used of its allowance in the month of `wallMs`. */
export function withUsage(
  workspace: Pick<WorkspaceRow, 'id' | 'slug' | 'name' | 'status' | 'plan'>,
  counters: UsageCounters,
  wallMs: number,
): WorkspaceWithUsage {
  const { allowance, used } = counters.standing(workspace.id, wallMs) ?? { allowance: null, used: 0 };
  return {
    slug: workspace.slug,
    name: workspace.name,
    status: workspace.status,
    plan: workspace.plan,
    monthly_event_allowance: allowance,
    events_this_month: used,
    allowance_resets_at: toTimestamp(nextMonthMs(wallMs)),
  };
}

function shown({ slug, name, status, plan, created_at }: WorkspaceRow): Workspace {
  return { slug, name, status, plan, created_at: toTimestamp(created_at) };
}
