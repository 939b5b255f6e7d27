import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  canonicalEmail,
  displayName,
  displayNameProblem,
  emailProblem,
  slugProblem,
  workspaceSlugProblem,
} from '../../src/contract/names.ts';

const test = suite('names');

test('a slug begins with a letter or digit and goes on with dots, hyphens and underscores as well', () => {
  for (const slug of ['a', '9', 'Deploys', 'eu-west.1_b']) assert.is(slugProblem(slug), null);
  for (const slug of ['', '.a', '-a', '_a', 'a/b', 'a b', 'é', 'a\n']) assert.ok(slugProblem(slug));
});

test('channels have up to 120 characters, workspaces up to 63', () => {
  assert.is(slugProblem('x'.repeat(120)), null);
  assert.ok(slugProblem('x'.repeat(121)));
  assert.is(workspaceSlugProblem('x'.repeat(63)), null);
  assert.match(workspaceSlugProblem('x'.repeat(64))?.message ?? '', 'must be 1 to 63 letters');
});

test('a display name counts code points and is not blank', () => {
  assert.is(displayNameProblem('🚀'.repeat(255)), null);
  assert.ok(displayNameProblem('🚀'.repeat(256)));
  assert.ok(displayNameProblem(' \t'));
});

test('a display name is kept without characters that control a terminal, break a line or turn text around', () => {
  assert.is(displayName('\u001b[31mBob\u0007\u009b \u202egpj.exe\u2066\u200f\u061c'), 'Bob gpj.exe');
  assert.is(displayName('one\ntwo\u2028three\t\r\n four'), 'one two three  four');
  assert.is(displayName('👩‍🚀 Zoë نوشته\u200cها'), '👩‍🚀 Zoë نوشته\u200cها');
  assert.ok(displayNameProblem('\u202e\u0007'));
});

test('an email address is kept without blanks around it and in lower case', () => {
  assert.is(canonicalEmail(' Ana@Example.COM '), 'ana@example.com');
  for (const email of ['ana@example.com', "o'hara+x@a.b", 'root@localhost', 'jürgen@müller.example', '二@例え.jp'])
    assert.is(emailProblem(email), null, email);
  const long = `${'x'.repeat(65)}@a.b`;
  const marked = ['<b>@a.b', '"a b"@c', 'a@b..c', 'a@.b', 'a@-b', 'a@b,c', 'a,b@c', 'a@b@c', 'a(b)@c', 'a@b:1', long];
  for (const email of [
    ...marked,
    'ana',
    '@',
    'ana@',
    'a b@c',
    'a\u0007b@c',
    'a@b\u202e',
    'a@\u200bb',
    `${'x'.repeat(251)}@a.b`,
  ])
    assert.ok(emailProblem(email));
});

test.run();
