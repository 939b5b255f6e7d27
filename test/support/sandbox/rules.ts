import type { Asked, SandboxAnswer } from '../../../src/sandbox/answers.ts';
import type { EndpointName } from '../../../src/sandbox/names.ts';
import { carriedOut, type OneAnswer, type TestAnswer } from './answers.ts';
import { answerOf, BEHAVIOURS } from './behaviours.ts';

/**
 * The scope of a rule: every request that all of the given fields fit. Rules of the token endpoint name it as
 * `endpoint`.
 */
export interface Match {
  readonly endpoint?: EndpointName;
  /** The start of a device token, or of an endpoint. */
  readonly token?: string;
}

export interface Rule {
  readonly match: Match;
  readonly answer: TestAnswer;
  /** How often the rule answers before it is gone; absent: until it is taken back. */
  readonly times?: number;
}

interface ActiveRule extends Rule {
  left: number;
}

/** Answers in place of the sandbox: by the newest rule that fits, else by the behaviour of the token. */
export class Rules {
  #rules: readonly ActiveRule[] = [];
  readonly #turns = new Map<string, number>();

  /** Returns a function that takes the rule back. */
  add(rule: Rule): () => void {
    const active = { ...rule, left: rule.times ?? Number.POSITIVE_INFINITY };
    this.#rules = [active, ...this.#rules];
    return () => this.#remove(active);
  }

  clear(): void {
    this.#rules = [];
  }

  answerTo({ endpoint, token, issued }: Asked): SandboxAnswer | null {
    const rule = this.#rules.find(({ match }) => fits(match, endpoint, token));
    if (rule !== undefined) {
      rule.left -= 1;
      if (rule.left <= 0) this.#remove(rule);
      return carriedOut(this.#one(rule.answer, token));
    }
    const behaviour = BEHAVIOURS[issued?.behaviour ?? 0];
    if (issued?.home !== endpoint || behaviour === undefined || behaviour === 'accept') return null;
    return carriedOut(this.#one(answerOf(behaviour, issued.parameter, issued.home), token));
  }

  #remove(rule: ActiveRule): void {
    this.#rules = this.#rules.filter((kept) => kept !== rule);
  }

  #one(answer: TestAnswer, token: string): OneAnswer {
    if (answer.kind !== 'alternate') return answer;
    const turn = this.#turns.get(token) ?? 0;
    this.#turns.set(token, turn + 1);
    return answer.answers[turn % answer.answers.length] ?? answer.answers[0];
  }
}

function fits(match: Match, endpoint: EndpointName, token: string): boolean {
  if (match.endpoint === undefined && endpoint === 'oauth') return false;
  if (match.endpoint !== undefined && match.endpoint !== endpoint) return false;
  return match.token === undefined || token.startsWith(match.token);
}
