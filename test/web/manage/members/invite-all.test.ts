import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inviteAll } from '../../../../src/web/manage/members/invite-all.ts';

const EMAILS = ['ada@example.com', 'bob@example.com', 'carl@example.com'];

test('After one invitation without an answer the others are not tried, and the result names them', async () => {
  for (const [kind, tried] of [
    ['away', 1],
    ['confirm', 1],
    ['refused', 3],
  ] as const) {
    const asked: string[] = [];
    const { added, refused } = await inviteAll(EMAILS, async (email) => {
      asked.push(email);
      return { ok: false, problem: { kind, message: kind, fields: {} } };
    });
    assert.equal(asked, EMAILS.slice(0, tried));
    assert.equal({ added, refused }, { added: [], refused: EMAILS.map((email) => ({ email, why: kind })) });
  }
});

test.run();
