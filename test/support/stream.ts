import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import { SESSION_COOKIE } from '../../src/contract/secret-token.ts';
import type { Api, ApiOptions } from './http.ts';
import { until } from './until.ts';

export interface StreamChange {
  readonly workspace: string | null;
  readonly kind: string;
}

/** A stream of events, as a client sees it. */
export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All that came so far. */
  text(): string;
  /** The changes reported so far, without `everything`. */
  reported(): readonly StreamChange[];
  /** The id of the last event. */
  lastId(): string;
  /** Waits for this to be reported. */
  hears(kind: string, workspace: string | null): Promise<void>;
  /** Resolves when the server has ended it, or cut it off: with whether it came to its end. */
  readonly ended: Promise<boolean>;
  close(): void;
}

interface StreamRequest {
  readonly key?: string;
  readonly cookie?: string;
  readonly lastId?: string;
  /** The position of an answer that it goes on from. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ca?: string;
  readonly localAddress?: string;
}

/** Changes are reported as soon as they are there. */
export const FAST: ApiOptions = { streams: { times: { notifyEveryMs: 20 } } };

/** Opens a stream of the person with this session token. */
export function listen({ http }: Api, key: string, lastId?: string): Promise<OpenStream> {
  return openStream(http.url, { key, ...(lastId !== undefined && { lastId }) });
}

export async function openStream(origin: string, options: StreamRequest): Promise<OpenStream> {
  const { key, cookie, lastId, from, headers, ...connection } = options;
  const send = origin.startsWith('https:') ? httpsRequest : httpRequest;
  const request = send(`${origin}/api/v1/stream${from === undefined ? '' : `?last_event_id=${from}`}`, {
    agent: false,
    ...connection,
    headers: {
      Accept: 'text/event-stream',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(cookie !== undefined && { Cookie: `${SESSION_COOKIE}=${cookie}`, 'Sec-Fetch-Site': 'same-origin' }),
      ...(lastId !== undefined && { 'Last-Event-ID': lastId }),
      ...headers,
    },
  });
  request.end();
  const [response] = await once(request, 'response');
  let text = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  response.on('error', () => {}); // It was cut off.
  const ended = new Promise<boolean>((resolve) => response.once('close', () => resolve(response.complete)));
  const all = (): readonly StreamChange[] =>
    [...text.matchAll(/^event: change\ndata: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  return {
    status: response.statusCode,
    headers: response.headers,
    text: () => text,
    reported: () => all().filter(({ kind }) => kind !== 'everything'),
    lastId: () => [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '',
    hears: (kind, workspace) =>
      until(
        `${kind} of ${workspace}`,
        () => all().some((change) => isDeepStrictEqual(change, { workspace, kind })) || all(),
      ),
    ended,
    close: () => request.destroy(),
  };
}
