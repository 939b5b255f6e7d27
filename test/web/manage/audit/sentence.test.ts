import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CALLS } from '../../../../src/store/calls.ts';
import { sentenceOf } from '../../../../src/web/manage/audit/sentence.ts';
import { texts } from '../../../../src/web/texts/audit.ts';

test('An entry is a sentence, in which a key has its name', () => {
  assert.is(sentenceOf({ action: 'key.revoke', object: '7m3q0f9t2xkd "ci"' }), 'revoked the key ci');
  assert.is(sentenceOf({ action: 'key.rotate', object: 'old0 to new0 "ci", new1 revoked' }), 'rotated the key ci');
  assert.is(
    sentenceOf({ action: 'channel.update', object: 'deploys: active, "Deploys"' }),
    'changed a channel: deploys: active, "Deploys"',
  );
  assert.is(sentenceOf({ action: 'moon.paint', object: 'red' }), 'did moon.paint: red');
});

test('Each action of a workspace that the store writes down has a sentence', () => {
  const written = Object.values(CALLS)
    .map(({ audit }) => /change\)?\('([a-z.-]+)'/.exec(String(audit ?? ''))?.[1])
    .filter((action) => action !== undefined && !/^(?:plan|route|backup)\.|^device\.prune/.test(action));
  assert.ok(written.length > 15);
  const sentences: readonly string[] = Object.keys(texts.did);
  assert.equal(
    written.filter((action) => !sentences.includes(String(action))),
    [],
  );
});

test.run();
