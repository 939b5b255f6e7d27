import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { QUIET_WORDS } from '../../src/contract/loudness.ts';
import { reasons } from '../../src/web/texts/inbox.ts';

test('The web app gives the same English reasons for silence as the commands', () => {
  assert.equal(reasons, QUIET_WORDS);
});

test.run();
