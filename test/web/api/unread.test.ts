import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shortUnreadText, unreadText } from '../../../src/web/api/unread.ts';

test('A count says thousands, and that it stops', () => {
  assert.is(unreadText({ events: 100, isMore: false }), '100');
  assert.is(unreadText({ events: 1_284, isMore: false }), '1,284');
  assert.is(unreadText({ events: 1_000, isMore: true }), '1,000+');
});

test('In a badge it stops at 99', () => {
  assert.is(shortUnreadText({ events: 99, isMore: false }), '99');
  assert.is(shortUnreadText({ events: 100, isMore: false }), '99+');
  assert.is(shortUnreadText({ events: 1_000, isMore: true }), '99+');
});

test.run();
