import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { outlineOf } from '../../../src/web/components/qr-outline.ts';

test('Dark modules beside each other are one rectangle of the path', () => {
  const modules = [
    [true, true, false],
    [false, true, false],
    [true, false, true],
  ];
  assert.is(outlineOf(modules), 'M0 0h2v1h-2zM1 1h1v1h-1zM0 2h1v1h-1zM2 2h1v1h-1z');
});

test.run();
