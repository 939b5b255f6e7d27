import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADA } from '../../support/cast.ts';
import { type Api, withApi } from '../../support/http.ts';
import { firstBytes, openRaw } from '../../support/raw.ts';
import { aPerson } from '../../support/sign-in.ts';
import { openStream } from '../../support/stream.ts';
import { until } from '../../support/until.ts';

/** Together they fill what the system itself keeps of a connection, some MB, in few rounds. */
const WORKSPACES = 300;
/** The bound of src/http/streams/stream.ts. */
const MAX_UNREAD_BYTES = 65_536;

/** The server's side of the streams that are opened from now on. */
function watchStreams(): { readonly responses: readonly ServerResponse[]; stop(): void } {
  const responses: ServerResponse[] = [];
  const note = (message: unknown): void => {
    const { request, response } = message as { request: { url: string }; response: ServerResponse };
    if (request.url === '/api/v1/stream') responses.push(response);
  };
  subscribe('http.server.request.start', note);
  return { responses, stop: () => void unsubscribe('http.server.request.start', note) };
}

/** An owner of many workspaces. Returns what reports a change in all of them, and the key that opens a stream. */
async function aManager(api: Api): Promise<{ readonly key: string; changeAll(): void }> {
  const ids: number[] = [];
  const key = await aPerson(api, ADA, { role: 'owner' });
  for (let at = 0; at < WORKSPACES; at += 1) {
    const { workspaceId } = await api.addWorkspace(`w${at}-`.padEnd(63, 'x'), { owner: ADA });
    ids.push(workspaceId);
  }
  return { key, changeAll: () => api.settled(ids.map((workspaceId) => ({ workspaceId }))) };
}

test('a client that no longer reads its stream is cut off once little is waiting for it, and the others hear on', () =>
  withApi(
    async (api) => {
      const { key, changeAll } = await aManager(api);
      const watching = watchStreams();
      const lazy = await openRaw(api.http.url);
      lazy.write(`GET /api/v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      assert.match((await firstBytes(lazy)) ?? '', 'HTTP/1.1 200 ');
      lazy.pause();
      const [response] = watching.responses;
      watching.stop();
      const reader = await openStream(api.http.url, { key });

      const waiting: number[] = [];
      await until('it is cut off', () => {
        changeAll();
        waiting.push(response?.writableLength ?? 0);
        return response?.destroyed ?? false;
      });
      assert.ok(Math.max(...waiting) > 0, 'the system took all of it');
      // One round of changes may come on top of what is just within the limit.
      assert.ok(Math.max(...waiting) < MAX_UNREAD_BYTES + WORKSPACES * 200, `${Math.max(...waiting)} bytes`);
      lazy.resume();
      await once(lazy, 'close');

      const { length } = reader.reported();
      changeAll();
      await until('the other hears on', () => reader.reported().length > length || reader.reported().length);
      reader.close();
    },
    { streams: { times: { notifyEveryMs: 0 } } },
  ));

test.run();
