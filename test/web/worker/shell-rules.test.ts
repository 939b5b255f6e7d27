import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cachedAs } from '../../../src/web/worker/shell-rules.ts';

const ORIGIN = 'https://push.example.com';
const asked = (path: string, mode = 'cors', method = 'GET') =>
  cachedAs({ method, mode, url: new URL(path, ORIGIN).href }, ORIGIN);

test('The worker answers for pages and assets of its own', () => {
  assert.is(asked('/events/evt_1', 'navigate'), 'page');
  assert.is(asked('/assets/index-3f9a.js'), 'asset');
});

test('The worker never answers for the API or its reference, not even if a page is asked for', () => {
  assert.is(asked('/api/v1/events'), null);
  assert.is(asked('/api/v1/stream'), null);
  assert.is(asked('/api/openapi.json', 'navigate'), null);
  assert.is(asked('/docs', 'navigate'), null);
});

test('The worker leaves other methods and other servers alone', () => {
  assert.is(asked('/', 'navigate', 'POST'), null);
  assert.is(asked('https://elsewhere.example.com/assets/a.js'), null);
  assert.is(asked('/sw.js'), null);
});

test.run();
