import type { QueueAge } from '../../store/calls.ts';
import { ApiError } from '../errors.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

/** A busy store may be late, which is no reason to restart. */
const ALIVE_WITHIN_MS = 10_000;
const READY_WITHIN_MS = 2_000;
/** The disk is tried at most once in so long, however often readiness is asked for. */
const PROOF_HOLDS_MS = 1_000;
/** A push that could be sent and still waits after so long means a fault that no provider has reported. */
const MAX_QUEUE_AGE_MS = 600_000;
const STANDS_STILL = 'Pushes that could go out have waited for more than ten minutes.';

type Readiness = 'ready' | 'cannot_store' | 'queue_stands_still';

export function healthRoutes(service: Service) {
  return {
    getHealth: getHealth(service),
    getReadiness: getReadiness(service),
  } satisfies Routes;
}

/** GET /healthz: the process and its own threads answer. The store is asked once at a time, however many ask. */
function getHealth({ store }: Pick<Service, 'store'>): Handler {
  let asking: Promise<boolean> | null = null;
  const ask = (): Promise<boolean> => {
    return store.isAlive().finally(() => {
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

/** GET /readyz: events can be stored in time, and the queue moves on every open route. */
function getReadiness(service: Pick<Service, 'store' | 'clock' | 'liveRoutes'>): Handler {
  const { store, clock, liveRoutes } = service;
  let proof: Promise<Readiness> = Promise.resolve('cannot_store');
  let provedAtMs = Number.NEGATIVE_INFINITY;

  const look = async (): Promise<Readiness> => {
    await store.proveWritable({});
    const live = liveRoutes?.();
    const ages = await store.queueAge({});
    const isOld = ({ ageMs }: QueueAge) => ageMs > MAX_QUEUE_AGE_MS;
    return ages.some((age) => isOld(age) && !live?.get(age.route)?.pause) ? 'queue_stands_still' : 'ready';
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

/** The promise's value, or `otherwise` where it does not come in time. */
async function within<T>(ms: number, answer: Promise<T>, otherwise: T): Promise<T> {
  const { promise: tooLate, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, ms, otherwise);
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}
