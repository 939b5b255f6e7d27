import { gzipSync } from 'node:zlib';
import { baseUrlOf, type Config } from '../../config/config.ts';
import type { ApiSettings } from '../../contract/openapi/about.ts';
import { openApiDocument } from '../../contract/openapi.ts';
import { etagOf, matchesEtag } from '../etag.ts';
import type { Routes } from '../request-state.ts';

/** The part of the configuration that the description contains. */
type Described = Omit<ApiSettings, 'baseUrl'> & Pick<Config, 'baseUrl' | 'listen' | 'tls'>;

export function openApiRoutes({ config }: { readonly config: Described }) {
  let made: ReturnType<typeof described> | undefined;
  return {
    /**
     * GET /openapi.json: the description of this API. Made and compressed for the first who asks, and kept: it would be
     * a good part of each start.
     */
    getOpenApi(context) {
      made ??= described(config);
      const isCompressed = context.acceptsEncodings('gzip', 'identity') === 'gzip';
      const { body, etag, encoding } = made[isCompressed ? 'gzip' : 'identity'];
      const headers = { ETag: etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
      return matchesEtag(context.req.headers['if-none-match'], etag)
        ? { status: 304, headers }
        : { status: 200, body, headers: { ...headers, ...encoding } };
    },
  } satisfies Routes;
}

function described({ limits, retention, delivery, ...address }: Described) {
  const document = openApiDocument({ baseUrl: baseUrlOf(address), limits, retention, delivery });
  const plain = Buffer.from(JSON.stringify(document));
  return {
    identity: { body: plain, etag: etagOf(plain), encoding: {} },
    gzip: { body: gzipSync(plain), etag: etagOf(plain, '-gzip'), encoding: { 'Content-Encoding': 'gzip' } },
  };
}
