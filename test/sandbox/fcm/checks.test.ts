import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkRequest, isViolation } from '../../../src/sandbox/fcm/checks.ts';

function wrongWith(body: unknown): string {
  const read = checkRequest(typeof body === 'string' ? body : JSON.stringify(body));
  return isViolation(read) ? `${read.field}: ${read.description}` : 'nothing';
}

test('a good message is read with its one target', () => {
  for (const kind of ['token', 'fid', 'topic', 'condition'] as const) {
    const read = checkRequest(JSON.stringify({ message: { [kind]: 'x', data: { a: 'b' } }, validate_only: true }));
    assert.ok(!isViolation(read));
    assert.equal(read.target, { kind, value: 'x' });
    assert.is(read.validateOnly, true);
  }
});

test('names may be in snake_case or lowerCamelCase, and nothing else is known', () => {
  assert.is(wrongWith({ message: { token: 'x', android: { collapseKey: 'a', collapse_key: 'b' } } }), 'nothing');
  assert.match(
    wrongWith({ message: { token: 'x', titel: 'y' } }),
    `Unknown name "titel" at 'message': Cannot find field.`,
  );
  assert.match(wrongWith({ massage: {} }), 'Unknown name "massage": Cannot find field.');
  assert.match(
    wrongWith({ message: { token: 'x', android: { notification: { colour: 'red' } } } }),
    'message.android.notification',
  );
});

test('each kind of value is checked', () => {
  const cases: [object, string][] = [
    [{ data: { count: 5 } }, `Invalid value at 'message.data[0].value' (TYPE_STRING), 5`],
    [{ data: [] }, `Invalid value at 'message.data' (map), []`],
    [{ notification: { title: 1 } }, `'message.notification.title' (TYPE_STRING)`],
    [{ notification: 'x' }, `'message.notification' (message)`],
    [{ android: { priority: 'urgent' } }, `'message.android.priority' (enum)`],
    [{ android: { ttl: 3600 } }, 'protobuf.Duration'],
    [{ android: { ttl: '1h' } }, 'protobuf.Duration'],
    [{ android: { ttl: '-1s' } }, 'Invalid ttl'],
    [{ android: { ttl: '2419201s' } }, 'Invalid ttl'],
    [{ android: { notification: { sticky: 'yes' } } }, 'TYPE_BOOLEAN'],
    [{ android: { notification: { body_loc_args: [1] } } }, 'TYPE_STRING'],
    [{ data: { from: 'x' } }, 'Invalid data payload key: from'],
    [{ data: { 'google.x': 'x' } }, 'Invalid data payload key: google.x'],
    [{ android: { data: { gcmish: 'x' } } }, 'Invalid data payload key: gcmish'],
  ];
  for (const [part, sentence] of cases) assert.match(wrongWith({ message: { token: 'x', ...part } }), sentence);
  const good = { data: { a: '' }, android: { priority: 'high', ttl: '2419200s', notification: { sticky: true } } };
  assert.is(wrongWith({ message: { token: 'x', ...good } }), 'nothing');
});

test('there is exactly one target', () => {
  assert.match(wrongWith({ message: {} }), 'Exactly one of token, fid, topic or condition');
  assert.match(wrongWith({ message: { token: 'x', fid: 'y' } }), 'Exactly one');
  assert.match(wrongWith({}), 'The message is missing.');
  assert.match(wrongWith('nonsense'), 'Invalid JSON payload');
});

test('a message to a device has 4096 bytes and one to a topic 2048, without the target', () => {
  const sized = (target: object, size: number) => {
    const frame = JSON.stringify({ data: { a: '' } }).length;
    return { message: { ...target, data: { a: 'x'.repeat(size - frame) } } };
  };
  assert.is(wrongWith(sized({ token: 'x' }, 4096)), 'nothing');
  assert.match(wrongWith(sized({ token: 'x' }, 4097)), 'Android message is too big');
  assert.is(wrongWith(sized({ topic: 'x' }, 2048)), 'nothing');
  assert.match(wrongWith(sized({ topic: 'x' }, 2049)), 'Android message is too big');
});

test.run();
