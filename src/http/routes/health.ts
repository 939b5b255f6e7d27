import { StoreUnavailable } from '../../store/calls.ts';
import { ApiError } from '../errors.ts';
import type { Handler } from '../exchange.ts';
import type { Service } from '../service.ts';

/** A store with much to do is late, and no reason to restart. */
const ALIVE_WITHIN_MS = 10_000;
const READY_WITHIN_MS = 2_000;
/** However often it is asked, the disk is tried once in so long. */
const PROOF_HOLDS_MS = 1_000;
/** Pushes that could go out and still wait after so long: something is wrong that no provider has told. */
const MAX_QUEUE_AGE_MS = 600_000;

/** GET /healthz: the process answers, and its store thread does. However many ask, it is asked once at a time. */
export function getHealth({ store }: Pick<Service, 'store'>): Handler {
  let asking: Promise<boolean> | null = null;
  const ask = (): Promise<boolean> => {
    return store
      .ping({})
      .then(() => true, isOverloaded)
      .finally(() => {
        asking = null;
      });
  };
  return async () => {
    asking ??= ask();
    if (!(await within(ALIVE_WITHIN_MS, asking))) throw new ApiError('unavailable', { retryAfterMs: ALIVE_WITHIN_MS });
    return { status: 200, body: { status: 'ok' } };
  };
}

/** GET /readyz: what comes in now is stored, soon, and the queue moves on every route that is open. */
export function getReadiness(service: Pick<Service, 'store' | 'clock' | 'pausedRoutes'>): Handler {
  const { store, clock, pausedRoutes = () => [] } = service;
  let proof: Promise<boolean> = Promise.resolve(false);
  let provedAtMs = Number.NEGATIVE_INFINITY;

  const isReady = async (): Promise<boolean> => {
    await store.proveWritable({});
    const steadyMs = clock.steadyMs();
    const paused = pausedRoutes();
    const ages = await store.queueAge({});
    return ages.every(({ route, sinceMs }) => paused.includes(route) || steadyMs - sinceMs <= MAX_QUEUE_AGE_MS);
  };

  return async () => {
    if (clock.steadyMs() - provedAtMs >= PROOF_HOLDS_MS) {
      provedAtMs = clock.steadyMs();
      proof = within(
        READY_WITHIN_MS,
        isReady().catch(() => false),
      );
    }
    if (!(await proof)) throw new ApiError('unavailable', { retryAfterMs: READY_WITHIN_MS });
    return { status: 200, body: { status: 'ready' } };
  };
}

function isOverloaded(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.reason === 'overloaded';
}

/** The answer, or false where it does not come in time. */
async function within(ms: number, answer: Promise<boolean>): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}
