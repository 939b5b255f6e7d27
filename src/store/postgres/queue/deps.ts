import type { Moment } from '../../../process/clock.ts';
import type { StoreSettings } from '../../settings.ts';
import type { Connection, Connections } from '../connections.ts';
import { retryingConflicts } from '../errors.ts';
import type { HeldClaims } from './held-claims.ts';

/** Shared by the calls of the queue. */
export interface QueueDeps {
  readonly connections: Connections;
  readonly settings: StoreSettings;
  readonly node: number;
  readonly held: HeldClaims;
  /** Undefined: the database's time counts. */
  readonly now: () => Moment | undefined;
}

/** A statement is a transaction of its own; after a serialization failure or a deadlock it is begun again. */
export function lendRetrying<T>(
  { connections }: Pick<QueueDeps, 'connections'>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return retryingConflicts(() => connections.lend(work));
}
