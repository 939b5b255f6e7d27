import { createHash } from 'node:crypto';
import type { ApiSettings } from '../../contract/openapi/about.ts';
import { openApiDocument } from '../../contract/openapi.ts';
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
  const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
  const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
  return ({ req }) => {
    return matches(req.headers['if-none-match'], etag) ? { status: 304, headers } : { status: 200, body, headers };
  };
}

/**
 * If-None-Match holds a list and compares weakly, as an intermediary that compresses weakens the tag. RFC 9110, section
 * 13.1.2.
 */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.some((tag) => tag === '*' || tag === etag);
}
