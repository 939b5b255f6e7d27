import type { ApiSettings } from '../../contract/openapi/about.ts';
import { openApiDocument } from '../../contract/openapi.ts';
import { etagOf, matchesEtag } from '../etag.ts';
import type { Handler, Routes } from '../request-state.ts';
import type { Service } from '../service.ts';

/** The part of the configuration that the description contains. */
type Described = Omit<ApiSettings, 'baseUrl'> & { readonly baseUrl: string | null };

export function openApiRoutes(service: Service) {
  return {
    getOpenApi: getOpenApi(service),
  } satisfies Routes;
}

/** GET /openapi.json: the description of this API. Serialised once. */
export function getOpenApi({ config }: { readonly config: Described }): Handler {
  const { baseUrl, limits, retention } = config;
  const body = Buffer.from(JSON.stringify(openApiDocument({ baseUrl: baseUrl ?? '/api', limits, retention })));
  const etag = etagOf(body);
  const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
  return ({ req }) => {
    return matchesEtag(req.headers['if-none-match'], etag) ? { status: 304, headers } : { status: 200, body, headers };
  };
}
