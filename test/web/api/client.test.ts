import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { firstOf, type Method, request } from '../../../src/web/api/client.ts';
import { answerOf } from '../../../src/web/api/problem.ts';

const { fetch, AbortSignal: signals } = globalThis;
const { timeout } = signals;
test.after.each(() => {
  globalThis.fetch = fetch;
  signals.timeout = timeout;
});

/** How a server answers that sends as much as this and then hangs, and when the app gives up, in ms. */
async function hanging(method: Method, sent: 'nothing' | 'a part') {
  const deadline = new AbortController();
  let afterMs: number | undefined;
  signals.timeout = (ms) => {
    afterMs = ms;
    return deadline.signal;
  };
  globalThis.fetch = async (_, { signal } = {}) => {
    const ended = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      queueMicrotask(() => deadline.abort(new DOMException('too late', 'TimeoutError')));
    });
    if (sent === 'nothing') return ended;
    return new Response(new ReadableStream({ start: (body) => void ended.catch((error) => body.error(error)) }));
  };
  return { answer: await answerOf(request(method, '/v1/alerts', {})), afterMs };
}

test('A server that hangs, also in the middle of an answer, is given eight seconds for what a user does, and reads fifteen', async () => {
  const problem = { kind: 'away', message: 'No answer yet.', fields: {} };
  for (const method of ['post', 'put', 'patch', 'delete'] as const)
    assert.equal(await hanging(method, 'nothing'), { answer: { ok: false, problem }, afterMs: 8_000 });
  assert.equal(await hanging('post', 'a part'), { answer: { ok: false, problem }, afterMs: 8_000 });
  assert.equal(await hanging('get', 'a part'), { answer: { ok: false, problem }, afterMs: 15_000 });
});

test('The earliest of positions of one server counts, and none of several', () => {
  assert.is(firstOf(['1b3f9c-10', '1b3f9c-9', '1b3f9c-11']), '1b3f9c-9');
  assert.is(firstOf(['1b3f9c-0']), '1b3f9c-0');
  assert.is(firstOf(['1b3f9c-9', '77aa01-3']), null);
  assert.is(firstOf([]), null);
});

test.run();
