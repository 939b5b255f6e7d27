import { duration } from '../durations.ts';

/** Returns the channel and the schedule that the form describes. `timezone`: applies to a schedule as `cron`. */
export function heartbeatOf(form: FormData, timezone: string) {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const every = text('every');
  return {
    channel: text('channel'),
    ...(every === '' ? { cron: text('cron'), timezone } : { every: Number(every) }),
    grace: Number(text('grace')),
    failures: Number(text('failures')),
  };
}

/** Returns choices in seconds, with the current one among them: the command line allows any. */
export function withCurrent(
  choices: readonly (readonly [seconds: string, text: string])[],
  current: string,
  textOf: (time: string) => string,
): readonly (readonly [seconds: string, text: string])[] {
  if (choices.some(([seconds]) => seconds === current)) return choices;
  return [[current, textOf(duration(Number(current)))], ...choices];
}
