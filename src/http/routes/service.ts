import { baseUrlOf, type Config } from '../../config/config.ts';
import { errorDetail } from '../../contract/details.ts';
import { type ApiSettings, openApiDocument } from '../../contract/openapi.ts';
import { within } from '../../process/clock.ts';
import type { Stopped } from '../../process/finding.ts';
import { packageVersion } from '../../process/package.ts';
import { ApiError } from '../errors.ts';
import { answerKept, type Kept, keep } from '../kept.ts';
import { parametersIn } from '../query.ts';
import type { Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

/** Allows for a busy store, which is no reason to restart. */
export const ALIVE_WITHIN_MS = 10_000;
const AGAIN_MS = 2_000;

export function healthRoutes({ store, findings }: Pick<Service, 'store' | 'findings'>) {
  const version = packageVersion();
  let asking: Promise<boolean> | null = null;
  const ask = (): Promise<boolean> => {
    return store.isAlive().finally(() => {
      asking = null;
    });
  };
  return {
    /**
     * Answers GET /healthz: the threads answer and, with `?deliveries`, due pushes are sent. Asks the store once at a
     * time.
     */
    async getHealth({ querystring }) {
      asking ??= ask();
      if (!(await within(ALIVE_WITHIN_MS, asking, false)))
        throw new ApiError('unavailable', { retryAfterMs: ALIVE_WITHIN_MS });
      if (parametersIn(querystring).has('deliveries')) await requireGoingOn('deliveries', findings);
      return { status: 200, body: { status: 'ok', version } };
    },

    /** Answers GET /readyz: events are stored in time. A queue is no reason to refuse more. */
    async getReadiness() {
      await requireGoingOn('events', findings);
      return { status: 200, body: { status: 'ready' } };
    },
  } satisfies Routes;
}

/** Omits the reason, since any client may ask. */
async function requireGoingOn(what: Stopped, findings: Service['findings']): Promise<void> {
  if ((await findings.stopping(what)) === null) return;
  throw new ApiError('unavailable', { retryAfterMs: AGAIN_MS, detail: errorDetail(`${what}_stopped`) });
}

export type Described = Omit<ApiSettings, 'baseUrl'> & Pick<Config, 'baseUrl' | 'listen' | 'tls'>;

export function openApiRoutes({ config }: { readonly config: Described }) {
  let made: Kept | undefined;
  return {
    /** Answers GET /openapi.json, made and compressed on first request: it would slow starts. */
    getOpenApi(context) {
      made ??= keep(JSON.stringify(describe(config)));
      return answerKept(context, made);
    },
  } satisfies Routes;
}

export function describe({ limits, retention, delivery, ...address }: Described) {
  return openApiDocument({ baseUrl: baseUrlOf(address), limits, retention, delivery });
}
