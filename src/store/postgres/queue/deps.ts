import type { Moment } from '../../../process/clock.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Connection, Connections } from '../connections.ts';
import { retryingConflicts } from '../errors.ts';
import type { HeldClaims } from './held-claims.ts';

export interface QueueDeps {
  readonly connections: Connections;
  readonly settings: StoreSettings;
  readonly node: number;
  readonly held: HeldClaims;
  /** Returns undefined if the database's time counts. */
  readonly now: () => Moment | undefined;
}

/** Runs statements in their own transactions. Retries `work` after conflicts. */
export function lendRetrying<T>(
  { connections }: Pick<QueueDeps, 'connections'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return retryingConflicts(() => connections.lend(work));
}
