import { type FieldProblem, fieldProblem } from '../../contract/details.ts';
import { planNameProblem } from '../../contract/names.ts';
import type { Plan } from '../calls.ts';
import { invalidField } from '../refusals.ts';
import type { Sql } from '../sql.ts';
import type { SomeHandlers } from './handler.ts';

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
