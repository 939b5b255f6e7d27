import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { packageVersion } from '../../../src/package.ts';
import { socketPath } from '../../../src/store/data-folder.ts';
import { connectSocket } from '../../../src/store/transports/socket-client.ts';
import { ADA } from '../../support/cast.ts';
import { signIn } from '../../support/sign-in.ts';
import type { Line } from '../lines.ts';
import type { Server, Site } from '../site.ts';
import { alternate } from '../slices.ts';
import { ratios } from '../statistics.ts';
import { fillWith } from '../volume.ts';

/** The inbox that an app shows first: one page of many. */
const PATH = '/api/v1/events?limit=50';
const EVENTS = 1_000;
const PAGES_A_SLICE = 400;
const CONNECTIONS = 8;

interface Slice {
  readonly httpUs: number;
  readonly wholeUs: number;
  readonly bytes: number;
}

/** What it costs that pages of the API are compressed: of the thread that takes posts as well, and of all. */
export async function pages(site: Site): Promise<Line[]> {
  const dataDir = await site.dataFolder('empty');
  fillWith(dataDir, { events: EVENTS, days: 1, deliveryDays: 0, devicesAnEvent: 0 });
  const server = await site.startServerIn(dataDir, { sends: false });
  const token = await ownerAt(server, dataDir);
  const slices = await alternate({
    zipped: () => read(server, token, 'gzip'),
    plain: () => read(server, token, 'identity'),
  });
  const per = (side: 'zipped' | 'plain', figure: keyof Slice) => slices[side].map((slice) => slice[figure]);
  const of = 'for a page of 50 events, compressed';
  return [
    {
      what: `CPU of the HTTP thread ${of}`,
      against: 'as it is',
      unit: '×',
      want: { atMost: 1.25 },
      values: ratios(per('zipped', 'httpUs'), per('plain', 'httpUs')),
      raw: {
        'µs a page': per('zipped', 'httpUs'),
        'µs a page as it is': per('plain', 'httpUs'),
        bytes: per('zipped', 'bytes'),
        'bytes as it is': per('plain', 'bytes'),
      },
    },
    {
      what: `CPU of the whole server ${of}`,
      against: 'as it is',
      unit: '×',
      want: null,
      values: ratios(per('zipped', 'wholeUs'), per('plain', 'wholeUs')),
      raw: { 'µs a page': per('zipped', 'wholeUs'), 'µs a page as it is': per('plain', 'wholeUs') },
    },
  ];
}

async function ownerAt({ url }: Server, dataDir: string): Promise<string> {
  const store = await connectSocket({ path: socketPath(dataDir), version: packageVersion() });
  if (store === null) throw new Error('the server has no socket');
  const token = await signIn({ http: { url }, store }, ADA);
  await store.close();
  return token;
}

/** One slice of pages: what each of them took of CPU, and its bytes. */
async function read({ url, process }: Server, token: string, encoding: 'gzip' | 'identity'): Promise<Slice> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { Authorization: `Bearer ${token}`, 'Accept-Encoding': encoding };
  const [before, httpBefore] = [await process.usage(), await process.ask('httpMs', undefined)];
  const sizes = await Promise.all(
    Array.from({ length: PAGES_A_SLICE }, async () => {
      const request = httpRequest(`${url}${PATH}`, { agent, headers }).end();
      const [response] = await once(request, 'response');
      const isZipped = response.headers['content-encoding'] === 'gzip';
      if (response.statusCode !== 200 || isZipped !== (encoding === 'gzip')) {
        throw new Error(`a page was answered ${response.statusCode}, ${isZipped ? 'compressed' : 'as it is'}`);
      }
      let bytes = 0;
      for await (const part of response) bytes += part.length;
      return bytes;
    }),
  );
  const [after, httpAfter] = [await process.usage(), await process.ask('httpMs', undefined)];
  agent.destroy();
  const each = (ms: number) => (1_000 * ms) / PAGES_A_SLICE;
  return {
    httpUs: each(httpAfter - httpBefore),
    wholeUs: each(after.cpuMs - before.cpuMs),
    bytes: sizes[0] ?? 0,
  };
}
