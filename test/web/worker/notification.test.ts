import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../src/package.ts';
import { notificationOf } from '../../../src/web/worker/notification.ts';

test('A push shows as its payload says, with where a tap leads', () => {
  const schema = JSON.parse(readFileSync(packagePath('schemas', 'payload-webpush.json'), 'utf8'));
  for (const payload of schema.examples) {
    const { title, options } = notificationOf(JSON.stringify(payload));
    const { title: declared, body, tag, navigate, data } = payload.notification;
    assert.is(title, declared);
    assert.equal([options.body, options.tag, options.data.navigate], [body, tag, navigate]);
    assert.equal(options.data, { ...data, navigate });
  }
});

test('A text that only repeats the title is not shown a second time', () => {
  const { title, options } = notificationOf('{"notification": {"title": "Disk full", "body": "Disk full"}}');
  assert.equal([title, options.body], ['Disk full', '']);
});

test('A push that cannot be read still shows that there is an event, and leads to the inbox', () => {
  for (const text of ['', 'no JSON', 'null', '[]', '{"notification": "text"}', '{"notification": {"title": 1}}']) {
    const { title, options } = notificationOf(text);
    assert.is(title, 'New event', text);
    assert.is(options.data.navigate, '/');
  }
});

test.run();
