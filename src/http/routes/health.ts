import { type QueueAge, StoreUnavailable } from '../../store/calls.ts';
import { ApiError } from '../errors.ts';
import type { Handler } from '../request-state.ts';
import type { Service } from '../service.ts';

/** A store with much to do is late, and no reason to restart. */
const ALIVE_WITHIN_MS = 10_000;
const READY_WITHIN_MS = 2_000;
/** However often it is asked, the disk is tried once in so long. */
const PROOF_HOLDS_MS = 1_000;
/** Pushes that could go out and still wait after so long: something is wrong that no provider has told. */
const MAX_QUEUE_AGE_MS = 600_000;
const STANDS_STILL = 'Pushes that could go out have waited for more than ten minutes.';

type Readiness = 'ready' | 'cannot_store' | 'queue_stands_still';

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
    if (!(await within(ALIVE_WITHIN_MS, asking, false)))
      throw new ApiError('unavailable', { retryAfterMs: ALIVE_WITHIN_MS });
    return { status: 200, body: { status: 'ok' } };
  };
}

/** GET /readyz: what comes in now is stored, soon, and the queue moves on every route that is open. */
export function getReadiness(service: Pick<Service, 'store' | 'clock' | 'pausedRoutes'>): Handler {
  const { store, clock, pausedRoutes = () => [] } = service;
  let proof: Promise<Readiness> = Promise.resolve('cannot_store');
  let provedAtMs = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<Readiness> => {
    await store.proveWritable({});
    const steadyMs = clock.steadyMs();
    const paused = pausedRoutes();
    const ages = await store.queueAge({});
    const isOld = ({ sinceMs }: QueueAge) => steadyMs - sinceMs > MAX_QUEUE_AGE_MS;
    return ages.some((age) => isOld(age) && !paused.includes(age.route)) ? 'queue_stands_still' : 'ready';
  };

  return async () => {
    if (clock.steadyMs() - provedAtMs >= PROOF_HOLDS_MS) {
      provedAtMs = clock.steadyMs();
      const looked = look().catch(() => 'cannot_store' as const);
      proof = within(READY_WITHIN_MS, looked, 'cannot_store');
    }
    const readiness = await proof;
    if (readiness !== 'ready') {
      const message = readiness === 'queue_stands_still' ? STANDS_STILL : undefined;
      throw new ApiError('unavailable', { retryAfterMs: READY_WITHIN_MS, ...(message && { message }) });
    }
    return { status: 200, body: { status: 'ready' } };
  };
}

function isOverloaded(error: unknown): boolean {
  return error instanceof StoreUnavailable && error.reason === 'overloaded';
}

/** The answer, or the other one where it does not come in time. */
async function within<T>(ms: number, answer: Promise<T>, otherwise: T): Promise<T> {
  const { promise: tooLate, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, ms, otherwise);
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}
