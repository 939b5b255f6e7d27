import { duration } from '../../format/durations.ts';

/** Returns the form's channel and schedule. `timezone`: for `cron`. */
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

/** Returns choices in seconds, including the current: the command line allows any. */
export function withCurrent(
  choices: readonly (readonly [seconds: string, text: string])[],
  current: string,
  textOf: (time: string) => string,
): readonly (readonly [seconds: string, text: string])[] {
  if (choices.some(([seconds]) => seconds === current)) return choices;
  return [[current, textOf(duration(Number(current)))], ...choices];
}
