import { openApiDocument } from '../../contract/openapi.ts';
import type { Handler } from '../exchange.ts';
import type { Service } from '../service.ts';

/** GET /openapi.json: the description of this API. */
export function getOpenApi({ config }: Service): Handler {
  const body = openApiDocument(config.baseUrl ?? '/api');
  return () => ({ status: 200, body });
}
