import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openedSince, openOnes } from '../../../src/web/alerts/standing.ts';

const alert = (id: string, state = 'open') => ({ id, state, title: id });

test('An alert is new once, and again if it is reopened', () => {
  const before = [alert('b'), alert('a', 'acknowledged')];
  const known = new Set(openOnes(before).map(({ id }) => id));
  assert.equal([...known], ['b']);
  const after = [alert('c'), alert('b'), alert('a')];
  assert.equal(openedSince(known, after), [alert('c'), alert('a')]);
  assert.equal(openedSince(new Set(['a', 'b', 'c']), after), []);
});

test.run();
