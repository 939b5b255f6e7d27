import type { AcmeSettings } from '../config/config.ts';
import { type Finding, fail, warn } from '../process/finding.ts';
import { toTimestamp } from '../values/timestamp.ts';
import { FINE_CLOCK_MS, rightMs, type Validity } from './plan.ts';
import { type AcmeProblem, adviceOn, authorityOf } from './problem.ts';
import type { AcmeState } from './state.ts';

const CHECK = 'certificate';
const SELF_SIGNED = 'until then a self-signed one is served, which no client trusts';
const DAY_MS = 86_400_000;

export interface Renewing {
  readonly settings: AcmeSettings;
  readonly state: AcmeState;
  /** What is served; null: a self-signed one. */
  readonly served: Validity | null;
  /** Whether the authority is being asked. */
  readonly isAsking: boolean;
  /** Why what is known cannot be kept; null: it can. */
  readonly unkept: AcmeProblem | null;
}

/** What is wrong with a certificate that comes by ACME, in the authority's own words. */
export function acmeFindings(
  { settings, state, served, isAsking, unkept }: Renewing,
  wallMs: number,
): readonly Finding[] {
  return [
    ...clockFindings(settings, state),
    ...(unkept === null ? [] : [fail(CHECK, unkept.sentence, adviceOn(unkept, settings))]),
    ...(state.problem === null && served === null ? [firstFinding(settings, state, isAsking)] : []),
    ...(state.problem === null ? [] : [problemFinding(settings, state, state.problem, served, rightMs(wallMs, state))]),
  ];
}

function firstFinding(settings: AcmeSettings, state: AcmeState, isAsking: boolean): Finding {
  const what = `one for ${settings.domains.join(', ')} is ${isAsking ? 'being' : 'to be'} asked for at ${authorityOf(settings)}`;
  return warn(CHECK, `${what}${isAsking ? '' : nextTry(state)}; ${SELF_SIGNED}`, 'wait for it');
}

function problemFinding(
  settings: AcmeSettings,
  state: AcmeState,
  problem: AcmeProblem,
  served: Validity | null,
  nowMs: number,
): Finding {
  const names = settings.domains.join(', ');
  const why = `${authorityOf(settings)} gave none for ${names}: ${problem.sentence}${nextTry(state)}`;
  const advice = adviceOn(problem, settings);
  if (served === null) return fail(CHECK, `${why}; ${SELF_SIGNED}`, advice);
  if (served.toMs <= nowMs) return fail(CHECK, `has expired. ${why}`, advice);
  const days = Math.floor((served.toMs - nowMs) / DAY_MS);
  return warn(CHECK, `is not renewed, and good for ${days} days. ${why}`, advice);
}

function nextTry({ nextTryAtMs }: AcmeState): string {
  return nextTryAtMs === null ? '' : `; the next try is at ${toTimestamp(nextTryAtMs)}`;
}

function clockFindings(settings: AcmeSettings, { clockOffMs }: AcmeState): readonly Finding[] {
  if (Math.abs(clockOffMs) <= FINE_CLOCK_MS) return [];
  const seconds = Math.round(Math.abs(clockOffMs) / 1_000);
  const message = `is ${seconds} s ${clockOffMs < 0 ? 'ahead of' : 'behind'} ${authorityOf(settings)}`;
  return [fail('clock', message, 'let the machine set its clock by the network: timedatectl set-ntp true')];
}
