import { workerData } from 'node:worker_threads';
import { createProvider } from '../providers/index.ts';
import type { Provider, ProviderSettings } from '../providers/provider.ts';
import { allAs, type SendLimits } from '../providers/sending.ts';
import type { Batch, Sent } from '../push.ts';

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

/**
 * Holds the thread's providers, each opened by its first batch. Each lane of a route has its own, and with it connections of
 * its own: hundreds of requests of a fan-out on their way are nothing that an urgent push would have to wait behind.
 */
export function createSender(
  { settings, limits }: WorkerData,
  create: typeof createProvider = createProvider,
): (batch: Batch) => Promise<readonly Sent[]> {
  const providers = new Map<string, Provider>();

  return async (batch) => {
    try {
      const provider = providers.get(nameOf(batch)) ?? open(batch);
      return provider === null ? allAs(batch, 'provider_off') : await provider.send(batch);
    } catch {
      return allAs(batch, 'internal_error');
    }
  };

  function open(batch: Batch): Provider | null {
    const provider = create(batch.route, settings, limits);
    if (provider !== null) providers.set(nameOf(batch), provider);
    return provider;
  }
}

function nameOf({ route, lane }: Batch): string {
  return `${route} ${lane}`;
}
