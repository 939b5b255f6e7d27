import { providerOf, type Route } from '../push.ts';
import { answerOf, type BehaviourReasons, type SandboxAnswer, type SingleAnswer } from './behaviours.ts';
import { affects, type Fault } from './faults.ts';
import type { IssuedToken } from './token-header.ts';

/**
 * The sandbox's listeners: one for each route, Google's token endpoint, and what real browsers connect to: Firefox
 * (`autopush`), and Chromium (`gcm`: check-in and registration, `mcs`: pushes).
 */
export type EndpointName = Route | 'oauth' | 'autopush' | 'gcm' | 'mcs';

/**
 * What a rule applies to: every request that all of the given fields fit. Rules of the token endpoint name it as
 * `endpoint`.
 */
export interface Match {
  readonly endpoint?: EndpointName;
  /** The start of a device token, or of an endpoint. */
  readonly token?: string;
}

export interface Rule {
  readonly match: Match;
  readonly answer: SandboxAnswer;
  /** How often the rule answers before it is gone; absent: until it is taken back. */
  readonly times?: number;
}

/**
 * Decides how a request that passed the vendor's checks is answered: the newest rule that fits, else the token's own
 * behaviour.
 */
export interface RuleBook {
  /** Returns a function that takes the rule back. */
  add(rule: Rule): () => void;
  clear(): void;
  /** The rule's answer for this request, or null. Counts the rule's `times` down. */
  take(endpoint: EndpointName, token: string): SingleAnswer | null;
  /** In place of those before: how devices answer that no rule fits. */
  setFaults(faults: readonly Fault[]): void;
  /** The answer that a fault has for the token, or the token itself asks for. */
  ofToken(token: string, issued: IssuedToken, reasons: BehaviourReasons): SingleAnswer;
}

interface ActiveRule extends Rule {
  left: number;
}

/** Turns of alternating tokens are forgotten beyond this many, oldest first. */
const REMEMBERED_TURNS = 10_000;

export function openRuleBook(): RuleBook {
  const rules: ActiveRule[] = [];
  const turns = new Map<string, number>();
  let faults: readonly Fault[] = [];
  let ends: NodeJS.Timeout[] = [];

  function remove(rule: ActiveRule): void {
    const at = rules.indexOf(rule);
    if (at >= 0) rules.splice(at, 1);
  }

  function single(answer: SandboxAnswer, token: string): SingleAnswer {
    if (answer.kind !== 'alternate') return answer;
    const turn = turns.get(token) ?? 0;
    turns.delete(token);
    turns.set(token, turn + 1);
    const oldest = turns.keys().next().value;
    if (turns.size > REMEMBERED_TURNS && oldest !== undefined) turns.delete(oldest);
    return answer.answers[turn % answer.answers.length] ?? answer.answers[0];
  }

  return {
    add(rule) {
      const active = { ...rule, left: rule.times ?? Number.POSITIVE_INFINITY };
      rules.unshift(active);
      return () => remove(active);
    },
    clear() {
      rules.length = 0;
    },
    take(endpoint, token) {
      const rule = rules.find(({ match }) => fits(match, endpoint, token));
      if (rule === undefined) return null;
      rule.left -= 1;
      if (rule.left <= 0) remove(rule);
      return single(rule.answer, token);
    },
    setFaults(given) {
      for (const end of ends) clearTimeout(end);
      faults = given;
      ends = given.flatMap((fault) => {
        if (fault.forMs === null) return [];
        const end = () => {
          faults = faults.filter((one) => one !== fault);
        };
        return setTimeout(end, fault.forMs).unref();
      });
    },
    ofToken(token, issued, reasons) {
      const isMeant = ({ provider }: Fault) => provider === null || provider === providerOf(issued.home);
      const fault = faults.find((one) => isMeant(one) && affects(one, token));
      const { behaviour, parameter } = fault ?? issued;
      return single(answerOf(behaviour, parameter, reasons), token);
    },
  };
}

function fits(match: Match, endpoint: EndpointName, token: string): boolean {
  if (match.endpoint === undefined && endpoint === 'oauth') return false;
  if (match.endpoint !== undefined && match.endpoint !== endpoint) return false;
  return match.token === undefined || token.startsWith(match.token);
}
