import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bytesField,
  fixed64Field,
  numberField,
  readFields,
  readVarint,
  varint,
} from '../../../src/sandbox/webpush/gcm.ts';

test('Numbers take seven bits a byte, the lowest first, as in the example of the documentation', () => {
  assert.is(numberField(1, 150).toString('hex'), '089601');
  assert.is(bytesField(2, 'testing').toString('hex'), '120774657374696e67');
});

test('Written fields are read again, repeated fields too', () => {
  const largest = 2n ** 64n - 1n;
  const fields = [numberField(1, largest), fixed64Field(7, 4711n), bytesField(21, 'one'), bytesField(21, 'two')];
  const read = readFields(Buffer.concat(fields));
  assert.equal([read.get(1), read.get(7), read.get(21)?.map(String)], [[largest], [4711n], ['one', 'two']]);
});

test('A truncated message is read as far as it goes', () => {
  const whole = Buffer.concat([numberField(1, 300), bytesField(2, 'testing')]);
  for (let length = 0; length < whole.length; length++) {
    const read = readFields(whole.subarray(0, length));
    assert.equal([read.get(1), read.get(2)], [length < 3 ? undefined : [300n], undefined], `${length} bytes`);
  }
  assert.is(readVarint(varint(300).subarray(0, 1), 0), null);
  assert.is(readVarint(Buffer.alloc(20, 0xff), 0), null);
});

test.run();
