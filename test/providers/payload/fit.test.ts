import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { APNS_LIMIT_BYTES, apnsPayload } from '../../../src/providers/apns/payload.ts';
import { FCM_LIMIT_BYTES, fcmMessage } from '../../../src/providers/fcm/payload.ts';
import { type Content, contentOf, fit } from '../../../src/providers/payload.ts';
import type { Links, PushEvent } from '../../../src/push.ts';
import { aPushEvent } from '../../support/pushes.ts';
import { schemaCheck } from '../../support/schemas.ts';
import { pushEvents, texts } from '../../support/texts.ts';

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const graphemes = (text: string) => Array.from(new Intl.Segmenter('en').segment(text)).length;

/** The three kinds of payload, reduced to what fitting is about. */
const KINDS = {
  apns: {
    limit: APNS_LIMIT_BYTES,
    ...schemaCheck('payload-apns'),
    make: (event: PushEvent) => {
      const { payload, fitted } = apnsPayload(event);
      const data = payload.data && JSON.stringify(payload.data);
      return { payload, fitted, flag: payload.fitted, texts: [payload.aps.alert], keys: { ...payload, data } };
    },
  },
  ...Object.fromEntries(
    (['data', 'notification'] as const).map((style) => [
      `fcm ${style}`,
      {
        limit: FCM_LIMIT_BYTES,
        ...schemaCheck('payload-fcm'),
        make: (event: PushEvent) => {
          const { payload, fitted } = fcmMessage(event, style, 86_400_000);
          const { data, notification } = payload;
          return {
            payload,
            fitted,
            flag: data.fitted,
            texts: notification ? [data, notification] : [data],
            keys: data,
          };
        },
      },
    ]),
  ),
};

for (const [name, kind] of Object.entries(KINDS)) {
  test(`${name}: any event makes a valid, well-formed payload within the limit, title and links whole`, () => {
    fc.assert(
      fc.property(pushEvents(), (event) => {
        const { payload, fitted, flag, texts, keys } = kind.make(event);
        const whole = contentOf(event);
        assert.ok(bytes(payload) <= kind.limit, `${bytes(payload)} bytes`);
        assert.is(kind.check(payload), null);
        assert.ok(JSON.stringify(payload).isWellFormed());
        assert.is(flag !== undefined, fitted);
        for (const text of texts) {
          assert.is(text.title, whole.title);
          if (text.body !== whole.body) {
            assert.ok(text.body.endsWith('…'));
            assert.ok(whole.body.startsWith(text.body.slice(0, -1)), 'a cut body is a prefix');
          }
        }
        if (keys.url !== undefined) assert.is(keys.url, event.links.url);
        if (keys.image_url !== undefined) assert.is(keys.image_url, event.links.imageUrl);
        if (keys.data !== undefined) assert.is(keys.data, event.links.data);
        const { url, imageUrl, data } = event.links;
        if (!fitted) assert.equal([keys.url, keys.image_url, keys.data], [url, imageUrl, data]);
      }),
      { numRuns: 300 },
    );
  });

  test(`${name}: the largest event of the API fits with its title and at least a character of body`, () => {
    for (const character of ['🚀', '"', '\\', '\n', '漢', 'a']) {
      const event = aPushEvent({
        workspace: 'w'.repeat(63),
        channel: 'c'.repeat(120),
        title: character.repeat(255),
        description: `${'🚀'}${'\u0301'.repeat(999)}`,
        eventType: (character === '\n' ? '"' : character).repeat(120),
        collapseKey: character.repeat(255),
        urgency: 'time_sensitive',
        occurredAtMs: 0,
        links: { url: `https://e.com/${'u'.repeat(2034)}`, imageUrl: `https://e.com/${'i'.repeat(2034)}` },
      });
      const made = kind.make(event);
      assert.ok(bytes(made.payload) <= kind.limit);
      assert.ok(made.texts.every((text) => text.body.startsWith('🚀') && text.title === event.title));
    }
  });
}

for (const name of ['apns', 'fcm data'])
  test(`${name}: 2 KiB of data fit beside the longest title and names, and links and body give way to them`, () => {
    const pairs = Object.fromEntries(Array.from({ length: 19 }, (_, nth) => [`pair-${nth}`, '']));
    const data = JSON.stringify({ ...pairs, last: 'x'.repeat(2048 - 10 - bytes(pairs)) });
    assert.is(Buffer.byteLength(data), 2048);
    const event = aPushEvent({
      workspace: 'w'.repeat(63),
      channel: 'c'.repeat(120),
      title: '🚀'.repeat(255),
      description: '漢'.repeat(1000),
      eventType: 'e'.repeat(120),
      urgency: 'time_sensitive',
      occurredAtMs: 0,
      links: { data, url: `https://e.com/${'u'.repeat(2034)}`, imageUrl: `https://e.com/${'i'.repeat(2034)}` },
      alert: { id: aPushEvent().publicId, state: 'open', reminder: 0 },
    });
    const { payload, keys, texts } = KINDS[name as keyof typeof KINDS].make(event);
    assert.ok(bytes(payload) <= KINDS[name as keyof typeof KINDS].limit);
    assert.equal([keys.data, keys.url, keys.image_url], [data, undefined, undefined]);
    assert.ok(texts[0]?.body.startsWith('漢'));
  });

/** A payload whose size is the size of its content, for limits chosen freely. */
const plain = (content: Content) => content;
const content = (body: string, links: Links = {}): Content => ({
  title: 'T',
  body,
  collapseKey: null,
  links,
  fitted: false,
});

test('a payload that fits is left alone', () => {
  fc.assert(
    fc.property(texts(300), (body) => {
      const whole = content(body);
      assert.equal(fit(whole, bytes(whole), plain), { payload: whole, fitted: false });
    }),
  );
});

test('the body is cut before a link goes, and to no fewer than 40 graphemes', () => {
  const links = { url: 'https://e.com/u', imageUrl: 'https://e.com/i' };
  const whole = content('é'.normalize('NFD').repeat(100), links);
  for (let limit = bytes(whole) - 1; ; limit--) {
    const { payload } = fit(whole, limit, plain);
    if (payload.links.imageUrl === undefined) {
      assert.ok(limit < bytes({ ...whole, body: `${whole.body.slice(0, 80)}…`, fitted: true }));
      break;
    }
    assert.ok(graphemes(payload.body) - 1 >= 40);
    assert.equal(payload.links, links);
  }
});

test('the image goes first, then the link, and the body takes back what becomes free', () => {
  const links = { url: `https://e.com/${'u'.repeat(300)}`, imageUrl: `https://e.com/${'i'.repeat(300)}` };
  const whole = content('x'.repeat(60), links);
  const withoutImage = { ...whole, links: { url: links.url }, fitted: true };
  assert.equal(fit(whole, bytes(withoutImage), plain).payload, withoutImage);
  const withoutLinks = { ...whole, links: {}, fitted: true };
  assert.equal(fit(whole, bytes(withoutLinks), plain).payload, withoutLinks);
});

test('without links to drop the body falls below 40 graphemes, each of them whole', () => {
  const family = '👨‍👩‍👧‍👦';
  const whole = content(family.repeat(50));
  const { payload } = fit(whole, bytes({ ...whole, body: `${family.repeat(3)}…`, fitted: true }) + 5, plain);
  assert.is(payload.body, `${family.repeat(3)}…`);
});

test('a grapheme that is too long by itself is cut at a code point', () => {
  const whole = content(`a${'\u0301'.repeat(2000)}`);
  const { payload } = fit(whole, bytes({ ...whole, body: `a${'\u0301'.repeat(7)}…`, fitted: true }) + 1, plain);
  assert.is(payload.body, `a${'\u0301'.repeat(7)}…`);
});

test('last of all the collapse key goes, and the body takes back what becomes free', () => {
  const whole = { ...content('x'.repeat(60)), collapseKey: 'k'.repeat(100) };
  const shortest = { ...whole, body: 'x…', fitted: true };
  assert.equal(fit(whole, bytes(shortest), plain).payload, shortest);
  const withoutKey = { ...whole, collapseKey: null, fitted: true };
  assert.equal(fit(whole, bytes(shortest) - 1, plain).payload, withoutKey);
});

test('data goes last, whole, and what it had displaced comes back', () => {
  const whole = { ...content('x'.repeat(60), { data: 'd'.repeat(300), url: 'https://e.com/u' }), collapseKey: 'key' };
  const shortest = { ...whole, links: { data: whole.links.data }, collapseKey: null, body: 'x…', fitted: true };
  assert.equal(fit(whole, bytes(shortest), plain).payload, shortest);
  const withoutData = { ...whole, links: { url: 'https://e.com/u' }, fitted: true };
  assert.equal(fit(whole, bytes(shortest) - 1, plain).payload, withoutData);
});

test('white space before the ellipsis goes', () => {
  const whole = content('one two three four');
  const { payload } = fit(whole, bytes({ ...whole, body: 'one two …', fitted: true }), plain);
  assert.is(payload.body, 'one two…');
});

test('a larger limit never leaves less of the event', () => {
  const rank = ({ payload }: ReturnType<typeof fit<Content>>) =>
    [Object.keys(payload.links).length, payload.body.length] as const;
  fc.assert(
    fc.property(texts(200), fc.integer({ min: 60, max: 900 }), (body, limit) => {
      fc.pre(body !== ''); // A push without a description has its title for a body.
      const links = { url: `https://e.com/${'u'.repeat(100)}`, imageUrl: `https://e.com/${'i'.repeat(100)}` };
      const [fewerLinks, shorter] = rank(fit(content(body, links), limit, plain));
      const [moreLinks, longer] = rank(fit(content(body, links), limit + 10, plain));
      assert.ok(moreLinks > fewerLinks || (moreLinks === fewerLinks && longer >= shorter));
    }),
  );
});

test.run();
