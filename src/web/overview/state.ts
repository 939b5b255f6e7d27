import { msOf, times } from '../format/time.ts';
import { explained } from '../texts/explained.ts';
import { type Period, overview as texts } from '../texts/workspace.ts';

type Route = keyof typeof texts.routes;

/** Statistics that show whether all is well. */
export interface Facts {
  readonly workspace: { readonly name: string; readonly status: 'active' | 'suspended' };
  readonly period: Period;
  readonly events: number;
  readonly accepted: number;
  readonly failed: number;
  readonly unregistered: number;
  readonly expired: number;
  /** The number of devices that are not showing. */
  readonly notShowing: number;
  /** People of rotas whom alerts cannot wake. */
  readonly unreachable: number;
  readonly waiting: readonly { readonly route: Route; readonly pushes: number }[];
  readonly pausedRoutes: readonly PausedRoute[];
  readonly stopped: readonly (keyof typeof texts.stopped)[];
  readonly usage: Usage | undefined;
}
interface PausedRoute {
  readonly route: Route;
  readonly kind: string;
  readonly since: string;
  readonly means: string | null;
  readonly remedy: string | null;
}
interface Usage {
  readonly monthly_event_allowance: number | null;
  readonly used: number;
  readonly exhausted_at: string | null;
}

/** The answer to "does everything work, and if not, what to do?". */
interface State {
  readonly level: 'info' | 'success' | 'warning' | 'error';
  readonly sentence: string;
  readonly advice: string;
  /** The place with details. */
  readonly see?: keyof typeof texts.see;
}

/** Returns the state by the worst problem, to be fixed first. */
export function stateOf(facts: Facts, nowMs: number): State {
  return suspended(facts) ?? stopped(facts) ?? paused(facts, nowMs) ?? allowance(facts, nowMs) ?? outcome(facts);
}

function suspended({ workspace }: Facts): State | null {
  if (workspace.status === 'active') return null;
  return {
    level: 'error',
    sentence: texts.state.suspended(workspace.name),
    advice: texts.state.suspendedAdvice,
  };
}

function stopped({ stopped: [first] }: Facts): State | null {
  return first === undefined
    ? null
    : { level: 'error', sentence: texts.stopped[first], advice: texts.state.stoppedAdvice };
}

/** Routes without credentials count only with waiting pushes: most installations omit some. */
function paused({ pausedRoutes, waiting }: Facts, nowMs: number): State | null {
  const waitOn = (route: Route): number => waiting.find((entry) => entry.route === route)?.pushes ?? 0;
  const relevant = pausedRoutes.filter(({ kind, route }) => kind !== 'off' || waitOn(route) > 0);
  const [first] = relevant;
  if (first === undefined) return null;
  const count = relevant.reduce((sum, { route }) => sum + waitOn(route), 0);
  const sentence =
    relevant.length === 1
      ? texts.state.paused(texts.routes[first.route], times.since(msOf(first.since), nowMs))
      : texts.state.pausedMany(relevant.length);
  const explanations = [first.means, first.remedy].filter((text) => text !== null).map(explained);
  const advice = [...explanations, texts.state.pausedAdvice];
  return {
    level: 'warning',
    sentence: count > 0 ? `${sentence} ${texts.state.wait(count)}` : sentence,
    advice: advice.join(' '),
  };
}

function allowance({ usage }: Facts, nowMs: number): State | null {
  if (usage === undefined || usage.monthly_event_allowance === null) return null;
  if (usage.used >= usage.monthly_event_allowance) {
    const resets = times.utcDay(nextMonthMs(nowMs));
    return { level: 'error', sentence: texts.state.exhausted(resets), advice: texts.state.exhaustedAdvice };
  }
  if (usage.exhausted_at === null) return null;
  const when = times.day(msOf(usage.exhausted_at), nowMs);
  return { level: 'warning', sentence: texts.state.runsOut(when), advice: texts.state.runsOutAdvice };
}

function outcome(facts: Facts): State {
  const { events, accepted, failed, unregistered, expired, notShowing, unreachable, waiting, period } = facts;
  const within = texts.within[period];
  const waits = waiting.reduce((sum, { pushes }) => sum + pushes, 0);
  const { failed: fail, expired: expire, gone } = texts.state;
  const lost = [failed > 0 && fail(failed), expired > 0 && expire(expired), unregistered > 0 && gone(unregistered)];
  const sentence = lost.filter((text) => text !== false).join(' ');
  if (failed > 0 || expired > 0) {
    return { level: 'warning', sentence, advice: texts.state.failedAdvice, see: 'failures' };
  }
  if (unreachable > 0) {
    const { asleep, asleepAdvice } = texts.state;
    return { level: 'warning', sentence: asleep(unreachable), advice: asleepAdvice, see: 'unreachable' };
  }
  if (notShowing > 0) {
    const { silent, silentAdvice } = texts.state;
    return { level: 'warning', sentence: silent(notShowing), advice: silentAdvice, see: 'notShowing' };
  }
  // Some devices always go. If most do, the app or provider is wrong.
  if (unregistered > 0) {
    const level = unregistered > accepted ? 'warning' : 'info';
    return { level, sentence, advice: texts.state.goneAdvice, see: 'inactive' };
  }
  if (events === 0) {
    return { level: 'info', sentence: texts.state.nothing(within), advice: texts.state.nothingAdvice };
  }
  if (accepted === 0 && waits === 0) {
    return { level: 'warning', sentence: texts.state.noDevice(events), advice: texts.state.noDeviceAdvice };
  }
  return { level: 'success', sentence: texts.state.good(events, accepted, within), advice: texts.state.goodAdvice };
}

/** Allowances are of calendar months, UTC. */
function nextMonthMs(nowMs: number): number {
  const now = new Date(nowMs);
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
}
