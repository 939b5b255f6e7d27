import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withMore, withRest } from '../../../src/web/api/merged-lists.ts';

test('A page of channels that comes after the lists were loaded again is put at their end', () => {
  const asked = [list('acme', 'ab', 'b'), list('globex', 'xy', null)];
  const pages = [list('acme', 'cd', 'd')];
  const again = [list('acme', 'ab', 'b'), list('globex', 'xyz', null)];
  assert.equal(withMore(again, asked, pages), [list('acme', 'abcd', 'd'), list('globex', 'xyz', null)]);
  const elsewhere = [list('acme', 'a', 'a'), list('globex', 'xy', null)];
  assert.equal(withMore(elsewhere, asked, pages), elsewhere);
});

test('A page of channels that comes while the lists are loaded again stays, behind any new channel', () => {
  const shown = [list('acme', 'bcde', 'e'), list('globex', 'xy', null)];
  const loaded = [list('acme', 'abc', 'c'), list('globex', 'xy', null)];
  assert.equal(withRest(loaded, shown), [list('acme', 'abcde', 'e'), list('globex', 'xy', null)]);
  assert.equal(withRest(loaded, null), loaded);
});

test('Channels that are new at the end of lists that were shown whole are not lost', () => {
  const loaded = [list('acme', 'abc', 'c')];
  assert.equal(withRest(loaded, [list('acme', 'abc', null)]), loaded);
});

test.run();

function list(workspace: string, slugs: string, next: string | null) {
  return { workspace, channels: [...slugs].map((slug) => ({ slug })), next };
}
