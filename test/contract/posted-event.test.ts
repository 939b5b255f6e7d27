import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readSchema } from '../../src/contract/schemas.ts';
import { parse } from '../support/posted-event.ts';
import { ANY_CHARACTER } from '../support/texts.ts';

test('the smallest event gets the documented defaults', () => {
  assert.equal(parse({ channel: 'deploys', title: 'Done' }), {
    valid: true,
    event: {
      channel: 'deploys',
      title: 'Done',
      description: null,
      level: 'info',
      urgency: 'standard',
      eventType: null,
      collapseKey: null,
      expiresInS: null,
      occurredAtMs: null,
      sendAtMs: null,
      idempotencyKey: null,
      links: {},
      oneText: null,
    },
    unknown: null,
  });
});

test('the examples of the schema are valid', () => {
  for (const example of readSchema('event').examples as Record<string, unknown>[]) assert.ok(parse(example).valid);
});

test('every field arrives in its place', () => {
  const parsed = parse({
    channel: 'Deploys',
    title: 'Done',
    description: 'All of it',
    url: 'https://example.com/a',
    image_url: 'https://example.com/a.png',
    data: { run: '1', app: 'api', '0': '' },
    level: 'error',
    delivery_urgency: 'time_sensitive',
    event_type: 'deploy.done',
    collapse_key: 'api',
    expires_in: 60,
    occurred_at: '2026-11-21T10:30:00.123+01:00',
    idempotency_key: 'run-1',
    anything: { else: true },
  });
  assert.equal(parsed.valid && parsed.event, {
    channel: 'Deploys',
    title: 'Done',
    description: 'All of it',
    level: 'error',
    urgency: 'time_sensitive',
    eventType: 'deploy.done',
    collapseKey: 'api',
    expiresInS: 60,
    occurredAtMs: Date.UTC(2026, 10, 21, 9, 30, 0, 123),
    sendAtMs: null,
    idempotencyKey: 'run-1',
    links: {
      url: 'https://example.com/a',
      imageUrl: 'https://example.com/a.png',
      data: '{"0":"","app":"api","run":"1"}',
    },
    oneText: null,
  });
});

test('a scheduled event has its time, and no links or data', () => {
  const later = { channel: 'deploys', title: 'Done', send_at: '2026-11-22T10:30:00+01:00' };
  const parsed = parse(later);
  assert.is(parsed.valid && parsed.event.sendAtMs, Date.UTC(2026, 10, 22, 9, 30));
  const linked = parse({
    ...later,
    url: 'https://example.com/',
    image_url: 'https://example.com/a.png',
    data: { a: 'b' },
  });
  assert.equal(!linked.valid && Object.keys(linked.problem.errors), ['image_url', 'url', 'data']);
  assert.ok(parse({ ...later, data: {} }).valid);
});

test('data that is nested 30,000 levels deep is rejected like any other wrong value', () => {
  const nested = JSON.parse(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
  const parsed = parse({ channel: 'deploys', title: 'Done', data: { a: nested } });
  assert.equal(!parsed.valid && Object.keys(parsed.problem.errors), ['data']);
});

test('all wrong fields are reported at once, in the order of the schema', () => {
  const parsed = parse({ icon: '🚀', level: 'loud', description: 7, api_key: null });
  if (parsed.valid) throw new Error('it is valid');
  const { details, ...shown } = parsed.problem;
  assert.equal(shown, {
    message: 'The channel field is required. (and 5 more errors)',
    errors: {
      channel: ['The channel field is required.'],
      title: ['The title field is required.'],
      description: ['The description field must be a string.'],
      icon: ['The icon field is not accepted: put emoji into the title.'],
      level: ['The level field must be one of info, success, warning, error.'],
      api_key: ['The api_key field is not accepted: send the key in the Authorization header only.'],
    },
  });
  assert.equal(
    details?.map(({ code }) => code),
    ['required', 'required', 'type_string', 'icon', 'one_of', 'key_in_body'],
  );
});

test('the message counts the other errors, and mentions none if there are none', () => {
  const withoutTitle = parse({ channel: 'deploys' });
  assert.is(!withoutTitle.valid && withoutTitle.problem.message, 'The title field is required.');
  const empty = parse({});
  assert.is(!empty.valid && empty.problem.message, 'The channel field is required. (and 1 more error)');
});

test('fields that are inherited by every object are no fields of an event', () => {
  const body = JSON.parse(
    '{"channel":"deploys","title":"Done","__proto__":{"icon":"x","level":"error"},"constructor":1}',
  );
  const parsed = parse(body);
  assert.is(parsed.valid && parsed.event.level, 'info');
  assert.is(Object.hasOwn(Object.prototype, 'icon'), false);
});

test('any JSON object is either an event or named errors', () => {
  const values = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 300 }),
    fc.webUrl(),
    fc.jsonValue(),
    fc.constant('deploys'),
  );
  const bodies = fc.dictionary(
    fc.constantFrom(...Object.keys(readSchema('event').properties as object), 'other'),
    values,
  );
  fc.assert(
    fc.property(bodies, (body) => {
      const parsed = parse(body);
      if (parsed.valid) return assert.type(parsed.event.title, 'string');
      const sentences = Object.entries(parsed.problem.errors).flatMap(([field, all]) => {
        for (const sentence of all) assert.ok(sentence.startsWith(`The ${field} field `) && sentence.endsWith('.'));
        return all;
      });
      assert.ok(sentences.length > 0 && parsed.problem.message.startsWith(sentences[0] ?? '?'));
    }),
  );
});

test.run();
