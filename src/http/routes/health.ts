import { ApiError } from '../errors.ts';
import type { Handler } from '../exchange.ts';
import type { Service } from '../service.ts';

const PATIENCE_MS = 2_000;

/** GET /healthz: the process answers. */
export function getHealth(): Handler {
  return () => ({ status: 200, body: { status: 'ok' } });
}

/** GET /readyz: the store answers, too, and soon. */
export function getReadiness({ store }: Pick<Service, 'store'>): Handler {
  return async () => {
    if (!(await within(PATIENCE_MS, store.ping({})))) throw new ApiError('unavailable', { retryAfterMs: PATIENCE_MS });
    return { status: 200, body: { status: 'ready' } };
  };
}

/** Whether the promise is fulfilled in time. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(resolve, ms, false);
  const inTime = promise.then(
    () => true,
    () => false,
  );
  return Promise.race([inTime, tooLate]).finally(() => clearTimeout(timer));
}
