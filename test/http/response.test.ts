import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { send } from '../../src/http/response.ts';

test('the rest of a large body is read for two seconds or a megabyte, before its connection is closed', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  using timers = mock.timers;
  const refused = () => {
    const request = Object.assign(new EventEmitter(), {
      complete: false,
      headers: { 'content-length': '10000000' },
      pause() {},
      resume() {},
    });
    let hasEnded = false;
    const response = {
      writeHead() {},
      write() {},
      end() {
        hasEnded = true;
      },
    };
    send(request as unknown as IncomingMessage, response as unknown as ServerResponse, { status: 401 }, []);
    return { request, hasEnded: () => hasEnded };
  };
  const slow = refused();
  timers.tick(1_999);
  assert.not(slow.hasEnded());
  timers.tick(1);
  assert.ok(slow.hasEnded());
  const fast = refused();
  fast.request.emit('data', Buffer.alloc(1_048_576));
  assert.not(fast.hasEnded());
  fast.request.emit('data', Buffer.alloc(1));
  assert.ok(fast.hasEnded());
  assert.is(fast.request.listenerCount('data'), 0);
});

test.run();
