import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { handlerStatements } from '../../support/handler-statements.ts';

test('No statement removes rows by the wall clock, except ended windows of channels that are gone', () => {
  const byWallClock = handlerStatements().filter(
    (text) => /\bDELETE\b/.test(text) && /[<>]=?[^=]*:(wall|now)Ms\b/.test(text),
  );
  assert.equal(byWallClock.map((text) => /DELETE FROM \w+/.exec(text)?.[0]).sort(), ['DELETE FROM maintenance']);
});

test.run();
