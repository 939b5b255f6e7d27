import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importLines, importParts } from '../../src/cli/import-lines.ts';
import type { Device } from '../../src/store/calls.ts';
import { androidToken } from '../support/android-token.ts';
import { ADA } from '../support/cast.ts';
import { InProcessCli as Cli } from '../support/cli.ts';

const TOKEN = androidToken('fine');

const test = suite('cli: device import');

test('Lines from standard input become devices, and the same lines again update them.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const lines = [
    { platform: 'ios', token: 'ab'.repeat(32), environment: 'sandbox', name: 'iPhone', subscribe: ['builds'] },
    { platform: 'android', token: androidToken('registration') },
    { platform: 'android', token: 'installation-id-1', token_kind: 'installation_id' },
  ];
  const input = `\uFEFF${lines.map((line) => JSON.stringify(line)).join('\r\n')}\n\n`;
  assert.equal(await importFrom(cli, input), { imported: 3, updated: 0 });
  assert.equal(await importFrom(cli, input), { imported: 0, updated: 3 });
  const { devices } = await cli.json<{ devices: Device[] }>(['device', 'list', 'acme']);
  assert.equal(devices.find(({ platform }) => platform === 'ios')?.channels, ['builds']);
});

test('Thousands of lines go in at once, and are listed page by page.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const lines = Array.from({ length: 2_500 }, (_, index) => `{"platform":"android","token":"${androidToken(index)}"}`);
  assert.equal(await importFrom(cli, lines.join('\n')), { imported: 2_500, updated: 0 });
  const { devices } = await cli.json<{ devices: Device[] }>(['device', 'list', 'acme', '--email', ADA]);
  assert.is(new Set(devices.map(({ id }) => id)).size, 2_500);
});

test('Each bad line is reported with its number (at most twenty), and nothing is imported.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const bad = [
    'nonsense',
    '[]',
    '{"platform":"windows","token":"x"}',
    '{"platform":"ios","token":"xyz"}',
    `{"platform":"android","token":"${TOKEN}","subscribe":"builds"}`,
    `{"platform":"android","token":"${TOKEN}","nam":"Pixel"}`,
    `{"platform":"android","token":"${TOKEN}","name":""}`,
    `{"platform":"android","token":"${TOKEN}","subscribe":["builds"],"mutes":[{"channel":"builds","min_level":"loud"}]}`,
    `{"platform":"android","token":"${TOKEN}","subscribe":["builds"],"mutes":[{"channel":"builds","muted_until":"8:00"}]}`,
    `{"platform":"android","token":"${TOKEN}","subscribe":[],"mutes":[{"channel":"builds"}]}`,
  ];
  const good = `{"platform":"android","token":"${TOKEN}"}`;
  const input = [good, ...bad, ...Array.from({ length: 20 }, () => 'nonsense')].join('\n');
  const message = await cli.failure(1, ['device', 'import', 'acme', ADA, '-'], { input });
  assert.match(message, '30 lines are wrong, nothing was imported');
  assert.match(message, 'line 2: this is not JSON.');
  assert.match(message, 'line 3: this is not a JSON object.');
  assert.match(message, 'line 4: The platform field must be one of ios, android, web.');
  assert.match(message, 'line 5: The token field must be');
  assert.match(message, 'line 6: The subscribe field must be a list of channel slugs.');
  assert.match(message, 'line 7: there is no field "nam"; did you mean "name"?');
  assert.match(message, 'line 8: The name field must be');
  for (const line of [9, 10]) assert.match(message, `line ${line}: The mutes field must be a list such as [{`);
  assert.match(message, 'line 11: The mutes field names the channel "builds", which is not in subscribe.');
  assert.match(message, 'and 10 more');
  assert.equal(await cli.json(['device', 'list', 'acme']), { devices: [] });
});

test('Channels that do not exist are named in the same round as all other mistakes, by their lines.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const to = (channel: string) => `{"platform":"android","token":"${TOKEN}","subscribe":["${channel}"]}`;
  // More than a part, so that mistakes of a kind stand in each.
  const good = Array.from({ length: 1_500 }, () => to('builds'));
  const input = [to('bilds'), 'nonsense', ...good, to('alrts'), '[]'].join('\n');
  const message = await cli.failure(1, ['device', 'import', 'acme', ADA, '-'], { input });
  assert.match(message, '4 lines are wrong, nothing was imported');
  for (const line of [
    /line 1: .*"bilds".*"builds"/,
    /line 2: this is not JSON/,
    /line 1503: .*"alrts"/,
    /line 1504: this is/,
  ])
    assert.match(message, line);
  assert.equal(await cli.json(['device', 'list', 'acme']), { devices: [] });
});

test('A file that is missing or empty is said so.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  assert.match(await cli.failure(1, ['device', 'import', 'acme', ADA, '/nowhere']), 'cannot read /nowhere');
  assert.match(
    await cli.failure(1, ['device', 'import', 'acme', ADA, cli.folder]),
    `cannot read ${cli.folder} (EISDIR)`,
  );
  assert.match(await cli.failure(1, ['device', 'import', 'acme', ADA, '-']), '- has no device');
});

test('A line that is not UTF-8 is refused, not repaired.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const file = join(cli.folder, 'latin1.ndjson');
  writeFileSync(file, '{"platform":"android","token":"a","name":"Téléphone"}', 'latin1');
  const message = await cli.failure(1, ['device', 'import', 'acme', ADA, file]);
  assert.match(message, 'line 1: this is not UTF-8 text.');
});

test('A part of an import is bounded by lines, and by subscriptions if each line has many.', async () => {
  const lengthsOf = async (count: number, subscribed: number) => {
    const subscribe = Array.from({ length: subscribed }, () => 'alerts');
    const lines = Array.from({ length: count }, () =>
      JSON.stringify({ platform: 'ios', token: 'cd'.repeat(32), subscribe }),
    );
    const parts = importParts(importLines(Readable.from(`${lines.join('\n')}\n`), { pushHosts: [], apps: [] }));
    const lengths: number[] = [];
    for await (const part of parts) lengths.push(part.length);
    return lengths;
  };
  assert.equal(await lengthsOf(2_500, 1), [1_000, 1_000, 500]);
  assert.equal(await lengthsOf(25, 500), [10, 10, 5]);
});

test('A line without end is refused before it fills the memory.', async () => {
  const cli = await Cli.ofTeam({ channels: ['builds'] });
  const file = join(cli.folder, 'endless.ndjson');
  writeFileSync(file, 'x'.repeat(200_000));
  const message = await cli.failure(1, ['device', 'import', 'acme', ADA, file]);
  assert.match(message, 'a line is longer than 65536 characters');
});

test.run();

function importFrom(cli: Cli, input: string): Promise<unknown> {
  return cli.json(['device', 'import', 'acme', ADA, '-'], { input });
}
