import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Mailbox } from '../../../src/sandbox/webpush/browsers.ts';

function aPush(id: string, { topic = null as string | null, keepUntilMs = 1000, subscription = 's' } = {}) {
  return { id, subscription, topic, keepUntilMs, frame: id };
}

function browser() {
  const got: string[] = [];
  return { got, send: (frame: string) => void got.push(frame) };
}

test('Messages are kept for an absent browser, in order, until their time is up', () => {
  let nowMs = 0;
  const mailbox = new Mailbox<string>(() => nowMs);
  mailbox.put(aPush('one'));
  mailbox.put(aPush('short', { keepUntilMs: 10 }));
  mailbox.put(aPush('none', { keepUntilMs: 0 }));
  mailbox.put(aPush('two'));
  nowMs = 10;
  const { got, send } = browser();
  mailbox.connect(send);
  assert.equal(got, ['one', 'two']);
  mailbox.put(aPush('three'));
  mailbox.put(aPush('none but it is here', { keepUntilMs: 0 }));
  assert.equal(got, ['one', 'two', 'three', 'none but it is here']);
});

test('A push with the topic of one that was not delivered takes its place, in its subscription only', () => {
  const mailbox = new Mailbox<string>(() => 0);
  mailbox.put(aPush('old', { topic: 'disk' }));
  mailbox.put(aPush('of another', { topic: 'disk', subscription: 't' }));
  mailbox.put(aPush('without'));
  mailbox.put(aPush('new', { topic: 'disk' }));
  mailbox.put(aPush('also without'));
  const { got, send } = browser();
  mailbox.connect(send);
  assert.equal(got, ['of another', 'without', 'new', 'also without']);
});

test('Messages that the browser did not confirm come again on its next connection', () => {
  const mailbox = new Mailbox<string>(() => 0);
  const first = browser();
  mailbox.connect(first.send);
  mailbox.put(aPush('one'));
  mailbox.put(aPush('two'));
  mailbox.confirm('one');
  const second = browser();
  mailbox.connect(second.send);
  mailbox.disconnect(first.send);
  mailbox.put(aPush('three'));
  mailbox.disconnect(second.send);
  mailbox.put(aPush('four'));
  assert.equal(
    [first.got, second.got],
    [
      ['one', 'two'],
      ['two', 'three'],
    ],
  );
});

test.run();
