import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  canonicalEmail,
  channelSlugProblem,
  displayNameProblem,
  emailProblem,
  workspaceSlugProblem,
} from '../../src/contract/names.ts';

const test = suite('names');

test('a slug begins with a letter or digit and goes on with dots, hyphens and underscores as well', () => {
  for (const slug of ['a', '9', 'Deploys', 'eu-west.1_b']) assert.is(channelSlugProblem(slug), null);
  for (const slug of ['', '.a', '-a', '_a', 'a/b', 'a b', 'é', 'a\n']) assert.type(channelSlugProblem(slug), 'string');
});

test('channels have up to 120 characters, workspaces up to 63', () => {
  assert.is(channelSlugProblem('x'.repeat(120)), null);
  assert.type(channelSlugProblem('x'.repeat(121)), 'string');
  assert.is(workspaceSlugProblem('x'.repeat(63)), null);
  assert.match(workspaceSlugProblem('x'.repeat(64)) ?? '', 'is not a workspace slug: it must be 1 to 63 letters');
});

test('a display name counts code points and is not blank', () => {
  assert.is(displayNameProblem('🚀'.repeat(255)), null);
  assert.type(displayNameProblem('🚀'.repeat(256)), 'string');
  assert.type(displayNameProblem(' \t'), 'string');
});

test('an email address is kept without blanks around it and in lower case', () => {
  assert.is(canonicalEmail(' Ana@Example.COM '), 'ana@example.com');
  assert.is(emailProblem('ana@example.com'), null);
  for (const email of ['ana', '@', 'ana@', 'a b@c', 'a\u0007b@c', 'a@b\u202e', 'a@\u200bb', `${'x'.repeat(251)}@a.b`])
    assert.type(emailProblem(email), 'string');
});

test.run();
