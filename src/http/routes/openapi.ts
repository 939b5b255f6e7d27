import { baseUrlOf, type Config } from '../../config/config.ts';
import type { ApiSettings } from '../../contract/openapi/about.ts';
import { openApiDocument } from '../../contract/openapi.ts';
import { answerKept, type Kept, keep } from '../kept.ts';
import type { Routes } from '../request-state.ts';

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
