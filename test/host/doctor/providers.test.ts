import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { whoAt } from '../../../src/host/doctor/providers.ts';
import { APPLE } from '../../../src/providers/apns/probe.ts';
import { GOOGLE } from '../../../src/providers/fcm/probe.ts';

test('The vendors are called by their names at their own endpoints alone', () => {
  assert.is(whoAt(APPLE, 'https://api.push.apple.com'), 'Apple');
  assert.is(whoAt(APPLE, 'https://api.sandbox.push.apple.com:2197'), 'Apple');
  assert.is(whoAt(GOOGLE, 'https://fcm.googleapis.com'), 'Google');
  assert.is(whoAt(GOOGLE, 'https://oauth2.googleapis.com/token'), 'Google');
  assert.is(whoAt(APPLE, 'https://127.0.0.1:2001'), "127.0.0.1:2001 (not Apple's)");
  assert.is(whoAt(APPLE, 'https://push.apple.com.example.com'), "push.apple.com.example.com (not Apple's)");
  assert.is(whoAt(GOOGLE, 'https://notgoogleapis.com'), "notgoogleapis.com (not Google's)");
});

test.run();
