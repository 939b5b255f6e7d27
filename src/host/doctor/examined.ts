import type { X509Certificate } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import type { ServerStatus } from '../../health/server-status.ts';
import type { Clock } from '../../process/clock.ts';
import type { Finding } from '../../process/finding.ts';
import type { Inspection } from '../../store/postgres/inspection.ts';

export interface Examined {
  readonly config: Config;
  /** The configuration file; null: none. */
  readonly file: string | null;
  readonly version: string;
  readonly clock: Clock;
}

export interface Gathered {
  /** Null: none runs, or unreachable. */
  readonly server: ServerStatus | null;
  /** Null: no readable database. */
  readonly stored: ServerStatus['stored'];
  /** The shared database; null: in the data folder, or unreachable. */
  readonly shared: Inspection | null;
  /** Null: no TLS, or no server. */
  readonly certificate: X509Certificate | null;
  /** All results, good and bad. */
  readonly findings: readonly Finding[];
}

export interface LookedInto extends Pick<Gathered, 'stored'> {
  readonly shared?: Inspection;
  readonly findings: readonly Finding[];
}
