import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readSchema } from '../../src/contract/schemas.ts';
import { webhookUrlProblem } from '../../src/contract/webhooks.ts';
import { parse, wrong } from '../support/posted-event.ts';

test('lengths count code points, not UTF-16 units and not bytes', () => {
  for (const [field, limit] of [
    ['channel', 120],
    ['title', 255],
    ['description', 1000],
    ['event_type', 120],
    ['collapse_key', 255],
    ['idempotency_key', 255],
  ] as const) {
    assert.equal(wrong(field, '🚀'.repeat(limit)), []);
    assert.equal(wrong(field, '🚀'.repeat(limit + 1)), [
      `The ${field} field must not be greater than ${limit} characters.`,
    ]);
  }
  const base = 'https://example.com/';
  for (const field of ['url', 'image_url']) {
    assert.equal(wrong(field, base + 'é'.repeat(2048 - base.length)), []);
    assert.equal(wrong(field, base + 'é'.repeat(2049 - base.length)), [
      `The ${field} field must not be greater than 2048 characters.`,
    ]);
  }
});

test('channel and title must hold something to read', () => {
  for (const blank of ['', ' ', '\t\n', '\u00a0\u3000', '\u200b', '\0']) {
    assert.equal(wrong('channel', blank), ['The channel field is required.']);
    assert.equal(wrong('title', blank), ['The title field is required.']);
  }
});

test('a value of another type is an error of its field, null in a required field included', () => {
  for (const field of 'description url image_url event_type collapse_key occurred_at idempotency_key level'.split(
    ' ',
  )) {
    for (const value of [1, true, [], {}]) assert.equal(wrong(field, value), [`The ${field} field must be a string.`]);
  }
  for (const field of ['channel', 'title']) assert.equal(wrong(field, null), [`The ${field} field must be a string.`]);
});

test('an optional field that is null, empty or blank is as good as absent', () => {
  const plain = parse({ channel: 'alerts', title: 'Done' });
  const refusedOrRequired = ['channel', 'title', 'icon', 'api_key'];
  const optional = Object.keys(readSchema('event').properties as object).filter(
    (name) => !refusedOrRequired.includes(name),
  );
  for (const value of [null, '', ' ', '\t\u00a0\u200b']) {
    const all = Object.fromEntries(optional.map((field) => [field, value]));
    assert.equal(parse({ channel: 'alerts', title: 'Done', ...all }), plain, JSON.stringify(value));
  }
  const defaults = { level: 'error', delivery_urgency: 'time_sensitive' } as const;
  const byKey = parse({ channel: 'alerts', title: 'Done', level: null, delivery_urgency: '' }, ' ', defaults);
  assert.equal(byKey, parse({ channel: 'alerts', title: 'Done' }, undefined, defaults));
  assert.is(byKey.valid && byKey.event.level, 'error');
});

test('icon and api_key are refused with any value', () => {
  for (const value of [null, '', 'x', 0, false, [], {}]) {
    assert.is(wrong('icon', value).length, 1);
    assert.is(wrong('api_key', value).length, 1);
  }
});

test('url takes absolute http and https URLs, and the schemes of the operator', () => {
  for (const url of [
    'http://example.com',
    'HTTPS://example.com/ä?b#c',
    'https://[::1]:8080/',
    'myapp://orders/7',
    'myapp:x',
  ]) {
    assert.equal(wrong('url', url), []);
  }
  for (const url of [
    'example.com',
    '/path',
    '//example.com',
    'http:example.com',
    'http:///path',
    'https://',
    'https:\\\\example.com',
    'javascript:alert(1)',
    'other://x',
    'myapp:',
    'https://example.com:99999/',
  ]) {
    assert.equal(
      wrong('url', url),
      ['The url field must be an absolute URL that starts with http: or https: or myapp:.'],
      JSON.stringify(url),
    );
  }
});

test('the character that no URL has is named, with its place', () => {
  for (const [url, problem] of [
    [' https://example.com', 'a space (character 1): write %20 or leave it out'],
    ['https://example.com/🚀 b', 'a space (character 22): write %20 or leave it out'],
    ['https://exa\nmple.com', 'U+000A (character 12): write %0A or leave it out'],
    ['https://example.com/\u00a0', 'U+00A0 (character 21): write %C2%A0 or leave it out'],
    ['https://exa<mple.com/', '"<" in its host name (character 12)'],
  ] as const) {
    for (const field of ['url', 'image_url']) {
      assert.equal(wrong(field, url), [`The ${field} field must not contain ${problem}.`]);
    }
    if (!URL.canParse(url)) assert.is(webhookUrlProblem(url)?.message, `The url field must not contain ${problem}.`);
  }
});

test('image_url takes https alone', () => {
  assert.equal(wrong('image_url', 'https://example.com/a.png'), []);
  for (const url of ['http://example.com/a.png', 'myapp://a.png', 'data:image/png;base64,AA==', 'a.png']) {
    assert.equal(wrong('image_url', url), ['The image_url field must be an absolute https URL.']);
  }
});

test('data has up to 20 pairs of strings, with names to read, and 2048 bytes as JSON', () => {
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`n${nth}`, '']));
  const inFull = { name: 'é'.repeat((2048 - 11) / 2) };
  for (const value of [{}, pairs(20), inFull, { ['🚀'.repeat(64)]: '\u0000', toString: '', 'a.b/c~d': '"' }])
    assert.equal(wrong('data', value), [], JSON.stringify(value));
  assert.equal(wrong('data', JSON.parse('{"__proto__":"x"}')), []);
  for (const [value, problem] of [
    ['text', 'must be an object'],
    [['a'], 'must be an object'],
    [{ 'a.b': 1, c: null, d: {} }, 'must have strings as values'],
    [{ a: '\ud800' }, 'must be well-formed Unicode'],
    [pairs(21), 'must not have more than 20 entries'],
    [{ '': 'a' }, 'must have property names of 1 to 64 characters'],
    [{ ['🚀'.repeat(65)]: 'a' }, 'must have property names of 1 to 64 characters'],
    [{ '\udc00': 'a' }, 'must be well-formed Unicode'],
    [{ name: 'a'.repeat(2049) }, 'must not be greater than 2048 bytes as JSON'],
    [{ name: `${inFull.name}aa` }, 'must not be greater than 2048 bytes as JSON'],
  ] as const)
    assert.equal(wrong('data', value), [`The data field ${problem}.`], JSON.stringify(value));
});

test('event_type has no control characters', () => {
  for (const value of ['a\nb', 'a\0', 'a\u007f', '\u0085b']) {
    assert.equal(wrong('event_type', value), ['The event_type field must not contain control characters.']);
  }
});

test("expires_in is a whole number of seconds, from a minute to the operator's time to live", () => {
  for (const seconds of [60, 86_400]) assert.equal(wrong('expires_in', seconds), []);
  for (const other of ['60', 60.5, true, 59, 0, -60, 86_401, 2_419_201]) {
    assert.equal(
      wrong('expires_in', other),
      ['The expires_in field must be a whole number from 60 to 86400, the time to live on this server.'],
      String(other),
    );
  }
});

test('occurred_at is any time with an offset, by any clock', () => {
  for (const time of [
    '2026-11-21t09:30:00z',
    '2026-11-21T09:30:00.1234567890123Z',
    '2016-12-31T23:59:60Z',
    '2017-01-01T00:59:60+01:00',
    '2026-11-21T09:30:00Z',
    '1970-01-01T00:00:00.000+00:00',
    '9999-12-31T00:00:00-11:30',
  ]) {
    assert.equal(wrong('occurred_at', time), []);
  }
  for (const other of [
    'now',
    '2026-11-21',
    '2026-11-21T09:30:00',
    '2026-11-21T09:30Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T09:30:60Z',
    '2026-02-30T09:30:00Z',
    '1795253400',
  ]) {
    assert.equal(wrong('occurred_at', other), [
      'The occurred_at field must be a time in RFC 3339 with seconds and an offset, such as 2026-11-21T09:30:00Z.',
    ]);
  }
});

test('send_at takes a time with its offset, up to 30 days ahead', () => {
  for (const time of ['2026-11-21T09:30:01Z', '2026-12-21T10:30+01:00', '2001-01-01T00:00:00-05:00']) {
    assert.equal(wrong('send_at', time), []);
  }
  assert.equal(wrong('send_at', '2026-12-21T09:31:00Z'), ['The send_at field must be at most 30 days ahead.']);
  for (const other of ['2h', 'tomorrow', '2026-11-21T09:30:00', '1795253400']) {
    assert.equal(wrong('send_at', other), [
      'The send_at field must be a time in ISO 8601 with an explicit offset, such as 2026-11-21T09:30:00Z.',
    ]);
  }
});

test('half a surrogate pair is refused in every text', () => {
  for (const field of ['channel', 'title', 'description', 'event_type', 'collapse_key', 'idempotency_key']) {
    assert.equal(wrong(field, 'a\ud83d'), [`The ${field} field must be well-formed Unicode.`]);
    assert.equal(wrong(field, '\ude80a'), [`The ${field} field must be well-formed Unicode.`]);
  }
});

test('level and delivery_urgency take their own words only', () => {
  assert.equal(wrong('level', 'INFO'), ['The level field must be one of info, success, warning, error.']);
  assert.equal(wrong('delivery_urgency', 'high'), [
    'The delivery_urgency field must be one of standard, time_sensitive.',
  ]);
});

test.run();
