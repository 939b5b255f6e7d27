/** The same as thread-time.trial.test.ts for what senders of other formats post, whose bodies may hold anything. */
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bodyOf, type CostlyBody } from '../support/costly-bodies.ts';
import { withSender } from '../support/senders.ts';
import { type Ask, slowOf } from '../support/thread-time.ts';
import { WORST } from '../support/worst-bodies.ts';

/** Below what header fields may have. */
const ADDRESS_CHARACTERS = 12_000;
const SMALL = 65_536;
const LARGE = 4_194_304;

function sent(path: string, key: string, shape: CostlyBody, bytes: number): Ask {
  const headers = { 'Content-Type': shape.type };
  return { method: 'post', path: path.replace('{key}', key), key, headers, body: Buffer.from(bodyOf(shape, bytes)) };
}

/** The same compressed, which says nothing of how large it is. */
function compressed(ask: Ask): Ask {
  const headers = { ...ask.headers, 'Content-Encoding': 'gzip' };
  return { ...ask, headers, body: gzipSync(ask.body ?? ''), isApart: true };
}

/** Texts in header fields and in the query, where senders may put what is in no body. */
function outsideBody(key: string): readonly Ask[] {
  const path = '/senders/ntfy/alerts';
  const plain = { method: 'post', path, key, body: 'x' };
  const fill = (piece: string) => {
    let count = 0;
    return piece.repeat(ADDRESS_CHARACTERS / piece.length).replaceAll('####', () => `${count++}`.padStart(4, '0'));
  };
  return [
    ...[
      '=?gb18030?b?QQ==?= ',
      '=?utf-8?q?=41?=',
      '=?x?q?a?= ',
      '=?x####?q?a?= ',
      '=?',
      'a,',
      '"a\\",',
      'a=',
      ';',
    ].flatMap((piece) => ['Title', 'Tags', 'Actions'].map((name) => ({ ...plain, headers: { [name]: fill(piece) } }))),
    ...['a&', '%e2%82&', '%e2%82', '+&', 't=%41&'].map((piece) => ({ ...plain, path: `${path}?${fill(piece)}` })),
  ];
}

test('no body of a sender keeps a shared thread busy, however it is compressed', () =>
  withSender({ limits: { burstPerMinute: 1_000_000 } }, async ({ api, key: keyIn }) => {
    const key = keyIn();
    const small = WORST.map(({ path, shape }) => sent(path, key, shape, SMALL));
    assert.equal(await slowOf(api.http.url, [...small, ...small.map(compressed), ...outsideBody(key)]), []);
    for (const { path, shape } of WORST) {
      const large = { ...sent(path, key, shape, LARGE), isApart: true };
      assert.equal(await slowOf(api.http.url, [large, compressed(large)]), []);
    }
  }));

test.run();
