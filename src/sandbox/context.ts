import type { Override } from './answers.ts';
import type { Faults } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Listener, Outage, openListener } from './listener.ts';

/** Shared by all of the sandbox's servers. */
export interface SandboxContext {
  readonly override: Override;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly wallMs: () => number;
  /** Opens a listener that is closed where another of the sandbox's cannot be opened. */
  readonly listen: typeof openListener;
  readonly tls: { readonly cert: string; readonly key: string };
  /** Well-formed tokens that no sandbox issued are good everywhere, instead of bad everywhere. */
  readonly acceptUnknownTokens: boolean;
}

/** One running server of the sandbox. */
export interface RunningEndpoint {
  readonly listener: Listener;
  setOutage(outage: Outage): Promise<void>;
  close(): Promise<void>;
}
