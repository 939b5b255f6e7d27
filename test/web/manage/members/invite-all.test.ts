import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inviteAll } from '../../../../src/web/manage/members/invite-all.ts';

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

test.run();
