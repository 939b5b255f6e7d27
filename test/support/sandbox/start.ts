import type { Push } from '../../../src/sandbox/journal.ts';
import type { EndpointName } from '../../../src/sandbox/names.ts';
import {
  startSandbox as start,
  type SandboxOptions as UsersOptions,
  type Sandbox as UsersSandbox,
} from '../../../src/sandbox/sandbox.ts';
import { DEADLINE_MS } from '../until.ts';
import { type Outage, Outages } from './outages.ts';
import { type Rule, Rules } from './rules.ts';
import { issueToken, type TokenRequest } from './tokens.ts';

export type SandboxOptions = Omit<UsersOptions, 'override' | 'openListener'>;

/** The sandbox, with answers that only tests need. */
export interface Sandbox extends Omit<UsersSandbox, 'token' | 'waitForPush'>, AsyncDisposable {
  token(request: TokenRequest): string;
  /** Resolves with the first push that fits, also an earlier one. Rejects after `deadlineMs`, by default that of `until`. */
  waitForPush(fits: (push: Push) => boolean, deadlineMs?: number): Promise<Push>;
  /**
   * Answers requests by a rule; the function takes it back. The newest rule wins over older ones and over tokens'
   * behaviours.
   */
  behave(rule: Rule): () => void;
  /** Takes all rules back. */
  behaveWell(): void;
  setOutage(endpoint: EndpointName, outage: Outage): Promise<void>;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const rules = new Rules();
  const outages = new Outages();
  const override: UsersOptions['override'] = (asked) => outages.answerTo(asked) ?? rules.answerTo(asked);
  const sandbox = await start({ ...options, override, openListener: outages.open });
  return {
    ...sandbox,
    token: issueToken,
    waitForPush: (fits, deadlineMs = DEADLINE_MS) => sandbox.waitForPush(fits, deadlineMs),
    behave: (rule) => rules.add(rule),
    behaveWell: () => rules.clear(),
    setOutage: (endpoint, outage) => outages.set(endpoint, outage),
    [Symbol.asyncDispose]: async () => void (await sandbox.close()),
  };
}
