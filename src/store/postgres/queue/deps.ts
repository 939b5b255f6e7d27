import type { Moment } from '../../../process/clock.ts';
import type { Claims } from '../../queue/claims.ts';
import type { Turns } from '../../queue/turns.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Connections } from '../connections.ts';
import { retryingConflicts } from '../errors.ts';
import type { Answered } from '../sql.ts';
import type { LeasedWork } from './leased-work.ts';

export interface QueueDeps {
  readonly connections: Connections;
  readonly settings: StoreSettings;
  readonly node: number;
  readonly leased: LeasedWork;
  readonly claims: Claims;
  readonly turns: Turns;
  /** Returns undefined if the database's time counts. */
  readonly now: () => Moment | undefined;
}

/** Asks in a transaction of its own, again after conflicts. */
export function askOfQueue(
  { connections }: Pick<QueueDeps, 'connections'>,
  text: string,
  values: readonly unknown[],
): Promise<Answered> {
  return retryingConflicts(() => connections.lend(({ ask }) => ask({ text, values })));
}
