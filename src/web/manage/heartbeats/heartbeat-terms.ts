import { given } from '../../components/forms/given.ts';

/** The heartbeat that the fields of the form describe. `timezone`: that of what is given as `cron`. */
export function heartbeatOf(form: FormData, timezone: string) {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const every = text('every');
  return {
    slug: text('slug'),
    channel: text('channel'),
    ...given('name', text('name')),
    ...(every === '' ? { cron: text('cron'), timezone } : { every: Number(every) }),
    grace: Number(text('grace')),
  };
}
