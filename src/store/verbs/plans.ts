import { fieldProblem, planNameProblem } from '../../contract/names.ts';
import type { Plan } from '../calls.ts';
import { invalidField } from '../refusals.ts';
import type { Db, Handlers } from '../sqlite/transaction.ts';

export function plans(db: Db): Handlers<'setPlan' | 'listPlans'> {
  const upsert = db.prepare<{ name: string; monthlyEvents: number | null }>(`
    INSERT INTO plan (name, monthly_events) VALUES (:name, :monthlyEvents)
    ON CONFLICT DO UPDATE SET monthly_events = excluded.monthly_events
  `);
  const all = db.prepare<[], Plan>('SELECT name, monthly_events AS monthly_event_allowance FROM plan ORDER BY name');

  return {
    setPlan({ name, monthlyEvents }) {
      const problem =
        fieldProblem('name', planNameProblem(name)) ??
        fieldProblem('monthly_event_allowance', allowanceProblem(monthlyEvents));
      if (problem !== null) return invalidField(problem);
      upsert.run({ name, monthlyEvents });
      return { name, monthly_event_allowance: monthlyEvents };
    },
    listPlans: () => all.all(),
  };
}

function allowanceProblem(monthlyEvents: number | null): string | null {
  if (monthlyEvents === null || (Number.isSafeInteger(monthlyEvents) && monthlyEvents >= 0)) return null;
  return `${monthlyEvents} is not a number of events: it must be a whole number from 0 on, or unlimited.`;
}
