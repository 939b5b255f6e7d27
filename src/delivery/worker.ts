import { workerData } from 'node:worker_threads';
import { createProvider } from '../providers/index.ts';
import type { Provider, ProviderSettings } from '../providers/provider.ts';
import { allAs, type SendLimits } from '../providers/sending.ts';
import type { Batch, Route, Sent } from '../push.ts';

/** What the pool starts a delivery thread with. */
export interface WorkerData {
  readonly settings: ProviderSettings;
  /** What differs from the providers' own limits. */
  readonly limits: Partial<SendLimits>;
}

/** The thread's task: sends a batch. An error would lose all that it says on its way to the pool, so there is none. */
export default createSender((workerData as WorkerData | null) ?? { settings: {}, limits: {} });

/** The task by which the pool sees that the thread has come up. */
export function selfTest(): 'ready' {
  return 'ready';
}

/** Holds the thread's providers, each opened by the first batch of its route. */
export function createSender(
  { settings, limits }: WorkerData,
  create: typeof createProvider = createProvider,
): (batch: Batch) => Promise<readonly Sent[]> {
  const providers = new Map<Route, Provider>();

  return async (batch) => {
    try {
      const provider = providers.get(batch.route) ?? open(batch.route);
      return provider === null ? allAs(batch, 'provider_off') : await provider.send(batch);
    } catch {
      return allAs(batch, 'internal_error');
    }
  };

  function open(route: Route): Provider | null {
    const provider = create(route, settings, limits);
    if (provider !== null) providers.set(route, provider);
    return provider;
  }
}
