import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keyTermsOf } from '../../../../src/web/manage/terms.ts';

const NOW_MS = Date.parse('2026-11-22T09:30:00.000Z');

test('Empty fields in the form of a key are not asked for', () => {
  const form = formOf([
    ['name', ' CI '],
    ['scope', 'events:write'],
    ['life', ''],
    ['burst', ''],
    ['level', ''],
    ['delivery_urgency', ''],
  ]);
  assert.equal(keyTermsOf(form, NOW_MS), { name: 'CI', scopes: ['events:write'] });
});

test('Channels, life and limit of a key are asked for as the API has them', () => {
  const form = formOf([
    ['name', 'CI'],
    ['scope', 'events:read'],
    ['channel', 'alerts'],
    ['channel', 'deploys'],
    ['life', '30'],
    ['burst', '5'],
    ['level', 'error'],
    ['delivery_urgency', 'time_sensitive'],
  ]);
  assert.equal(keyTermsOf(form, NOW_MS), {
    name: 'CI',
    scopes: ['events:read'],
    channels: ['alerts', 'deploys'],
    expires_at: '2026-12-22T09:30:00.000Z',
    burst_per_minute: 5,
    level: 'error',
    delivery_urgency: 'time_sensitive',
  });
});

test.run();

function formOf(fields: readonly (readonly [string, string])[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}
