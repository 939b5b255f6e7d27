import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressesIn, inviteAll } from '../../../../src/web/manage/members/inviting.ts';

const EMAILS = ['ada@example.com', 'bob@example.com', 'carl@example.com'];

test('After one invitation without an answer the others are not tried, and the result names them', async () => {
  for (const [kind, tried, code] of [
    ['away', 1, undefined],
    ['confirm', 1, 'confirm_identity'],
    ['refused', 1, 'change_throttled'],
    ['refused', 3, 'conflict'],
  ] as const) {
    const asked: string[] = [];
    const { added, refused } = await inviteAll(EMAILS, async (email) => {
      asked.push(email);
      return { ok: false, problem: { kind, code, message: kind, fields: {} } };
    });
    assert.equal(asked, EMAILS.slice(0, tried));
    assert.equal({ added, refused }, { added: [], refused: EMAILS.map((email) => ({ email, why: kind })) });
  }
});

test('Addresses are taken as people paste them, each once', () => {
  const pasted = 'Ada Lovelace <Ada@example.com>, bob@example.com;carl@example.com\nBob@Example.com  eve@example.com';
  assert.equal(addressesIn(pasted), {
    emails: ['ada@example.com', 'bob@example.com', 'carl@example.com', 'eve@example.com'],
    others: [],
  });
});

test('An invalid address is named', () => {
  assert.equal(addressesIn('ada@example.com nobody, @example.com a@b').others, ['nobody', '@example.com', 'a@b']);
});

test.run();
