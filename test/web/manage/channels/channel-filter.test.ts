import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wantedChannels } from '../../../../src/web/manage/channels/channel-filter.ts';

const CHANNELS = [
  { slug: 'deploys', name: 'Deploys', status: 'active' },
  { slug: 'old', name: 'Bäckerei', status: 'inactive' },
  { slug: 'shop', name: 'The shop', status: 'active' },
] as const;

test('Channels are found by name and slug, and what is inactive comes first', () => {
  const found = (wanted: { q?: string; status?: string }) => wantedChannels(CHANNELS, wanted).map(({ slug }) => slug);
  assert.equal(found({}), ['old', 'deploys', 'shop']);
  assert.equal(found({ q: 'BÄCK' }), ['old']);
  assert.equal(found({ q: 'sho' }), ['shop']);
  assert.equal(found({ status: 'active' }), ['deploys', 'shop']);
});

test('Channels of one state are in the order of their names as people count', () => {
  const named = (name: string, status: 'active' | 'inactive' = 'active') => ({ slug: name, name, status });
  const names = ['Service 10', 'Service 9', 'Äpfel', 'service 2'];
  const channels = [...names.map((name) => named(name)), named('Service 100', 'inactive')];
  assert.equal(
    wantedChannels(channels, {}).map(({ name }) => name),
    ['Service 100', 'Äpfel', 'service 2', 'Service 9', 'Service 10'],
  );
});

test.run();
