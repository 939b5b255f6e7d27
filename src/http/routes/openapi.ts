import { baseUrlOf, type Config } from '../../config/config.ts';
import type { ApiSettings } from '../../contract/openapi/about.ts';
import { openApiDocument } from '../../contract/openapi.ts';
import { answerKept, type Kept, keep } from '../kept.ts';
import type { Routes } from '../request-state.ts';

/** The part of the configuration that the description contains. */
export type Described = Omit<ApiSettings, 'baseUrl'> & Pick<Config, 'baseUrl' | 'listen' | 'tls'>;

export function openApiRoutes({ config }: { readonly config: Described }) {
  let made: Kept | undefined;
  return {
    /**
     * GET /openapi.json: the description of this API. Made and compressed for the first who asks, and kept: it would be
     * a good part of each start.
     */
    getOpenApi(context) {
      made ??= keep(JSON.stringify(describe(config)));
      return answerKept(context, made);
    },
  } satisfies Routes;
}

/** Describes the API of this installation. */
export function describe({ limits, retention, delivery, ...address }: Described) {
  return openApiDocument({ baseUrl: baseUrlOf(address), limits, retention, delivery });
}
