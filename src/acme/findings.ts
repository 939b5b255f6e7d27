import type { AcmeSettings } from '../config/config.ts';
import { certificateEnd, type Finding, fail, graded, SET_CLOCK, warn } from '../process/finding.ts';
import { toTimestamp } from '../values/timestamp.ts';
import { isClockWrong, rightMs, type Validity } from './plan.ts';
import { type AcmeProblem, adviceOn, authorityOf } from './problem.ts';
import type { AcmeState } from './state.ts';

const CHECK = 'certificate';
const SELF_SIGNED = 'until then the server shows a self-signed one, which no client trusts';

interface Renewing {
  readonly settings: AcmeSettings;
  readonly state: AcmeState;
  /** The served certificate; null: a self-signed one. */
  readonly served: Validity | null;
  readonly isAsking: boolean;
  /** Why the data cannot be kept; null: it can. */
  readonly unkept: AcmeProblem | null;
}

export function acmeFindings(
  { settings, state, served, isAsking, unkept }: Renewing,
  wallMs: number,
): readonly Finding[] {
  const next = isAsking ? '; pushctl is asking for it now' : nextTry(state);
  return [
    ...clockFindings(settings, state),
    ...(unkept === null ? [] : [fail(CHECK, unkept.sentence, adviceOn(unkept, settings))]),
    ...(state.problem === null
      ? waitingFindings(settings, served, isAsking, next, rightMs(wallMs, state))
      : [problemFinding(settings, state.problem, served, next, rightMs(wallMs, state))]),
  ];
}

/** Reports that no good certificate exists yet, without a failure. */
function waitingFindings(
  settings: AcmeSettings,
  served: Validity | null,
  isAsking: boolean,
  next: string,
  nowMs: number,
): readonly Finding[] {
  if (served === null) return [firstFinding(settings, isAsking, next)];
  const { state } = endOf(served, nowMs);
  if (state === 'good') return [];
  const message = `${endText(served, nowMs)}, and has not been renewed yet${next}`;
  const advice = `wait an hour; if it is still not renewed, ask ${authorityOf(settings)} at once: systemctl reload pushctl`;
  return [graded(state === 'soon' ? 'warn' : 'fail', CHECK, message, advice)];
}

function firstFinding(settings: AcmeSettings, isAsking: boolean, next: string): Finding {
  const what = `pushctl ${isAsking ? 'is asking' : 'will ask'} ${authorityOf(settings)} for one for ${settings.domains.join(', ')}`;
  return warn(CHECK, `${what}${isAsking ? '' : next}; ${SELF_SIGNED}`, 'wait for it');
}

function problemFinding(
  settings: AcmeSettings,
  problem: AcmeProblem,
  served: Validity | null,
  next: string,
  nowMs: number,
): Finding {
  const names = settings.domains.join(', ');
  const why = `${authorityOf(settings)} issued none for ${names}: ${problem.sentence}${next}`;
  const advice = adviceOn(problem, settings);
  if (served === null) return fail(CHECK, `${why}; ${SELF_SIGNED}`, advice);
  const { state } = endOf(served, nowMs);
  const severity = state === 'late' || state === 'ended' ? 'fail' : 'warn';
  return graded(severity, CHECK, `was not renewed, and ${endText(served, nowMs)}. ${why}`, advice);
}

function endOf({ fromMs, toMs }: Validity, nowMs: number) {
  return certificateEnd(toMs, nowMs, toMs - fromMs);
}

function endText(served: Validity, nowMs: number): string {
  const { state, days } = endOf(served, nowMs);
  const end = toTimestamp(served.toMs);
  return state === 'ended' ? `expired at ${end}` : `is valid for ${days} days, until ${end}`;
}

function nextTry({ nextTryAtMs }: AcmeState): string {
  return nextTryAtMs === null ? '' : `; next attempt at ${toTimestamp(nextTryAtMs)}`;
}

function clockFindings(settings: AcmeSettings, state: AcmeState): readonly Finding[] {
  if (!isClockWrong(state)) return [];
  const { clockOffMs, clockAskedAtMs } = state;
  const seconds = Math.round(Math.abs(clockOffMs) / 1_000);
  const at = clockAskedAtMs === null ? '' : ` at ${toTimestamp(clockAskedAtMs)}`;
  const message = `was ${seconds} s ${clockOffMs < 0 ? 'ahead of' : 'behind'} ${authorityOf(settings)}${at}`;
  return [fail('clock', message, SET_CLOCK)];
}
