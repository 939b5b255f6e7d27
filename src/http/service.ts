import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Links } from '../push.ts';
import { ClientAddresses } from './address.ts';
import { type Authorize, keyAuthorization, type Store } from './auth.ts';
import { type AddressThrottle, addressThrottle, type KeyThrottle, keyThrottle } from './throttles.ts';

/** What the HTTP side is given. */
export interface AppDeps {
  readonly store: Store;
  readonly config: Pick<Config, 'baseUrl' | 'proxy' | 'limits'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The links of queued events, in memory. */
  readonly links: {
    hold(publicId: string, links: Links): void;
    drop(publicId: string): void;
  };
  /** Requests that are answered at a time; any further one is overload. */
  readonly maxInFlight?: number;
}

/** What the routes share. */
export interface Service extends AppDeps {
  readonly authorize: Authorize;
  readonly throttle: {
    /** POST /v1/events. */
    readonly burst: KeyThrottle;
    /** What integrators read back: as many as they may post, but counted apart, so that looking costs no posting. */
    readonly reads: KeyThrottle;
    readonly connection: AddressThrottle;
  };
}

export function createService(deps: AppDeps): Service {
  const { store, config, clock } = deps;
  const { burstPerMinute, connectionPerMinute } = config.limits;
  const addresses = new ClientAddresses(config.proxy.trusted);
  return {
    ...deps,
    authorize: keyAuthorization(store, clock),
    throttle: {
      burst: keyThrottle('burst', burstPerMinute, clock),
      reads: keyThrottle('reads', burstPerMinute, clock),
      connection: addressThrottle('connection', connectionPerMinute, addresses, clock),
    },
  };
}
