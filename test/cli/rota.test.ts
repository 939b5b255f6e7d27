import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MovedShift, ShownOverride, ShownRota } from '../../src/contract/on-call/plan.ts';
import { InProcessCli as Cli } from '../support/cli.ts';

const test = suite('cli: rota');
const [ADA, BOB] = ['ada@acme.example', 'bob@acme.example'];
const PAYMENTS = ['acme', 'payments'];

async function aTeam() {
  const cli = await Cli.ofTeam();
  for (const email of [ADA, BOB]) await cli.run(['member', 'add', 'acme', email]);
  return cli;
}

test('A rota is added, shown, changed and deleted', async () => {
  const cli = await aTeam();
  assert.match((await cli.run(['rota', 'list', 'acme'])).stdout, 'No rotas yet.');
  const asked = async (verb: string, ...rest: readonly string[]) =>
    cli.json<{ rota: { rota: ShownRota; moved?: readonly MovedShift[] } }>(['rota', verb, ...PAYMENTS, ...rest]);
  const preview = await asked('add', ADA, BOB, '--every', 'day', '--preview');
  assert.ok((preview.rota.moved ?? []).length > 80);
  assert.match((await cli.run(['rota', 'list', 'acme'])).stdout, 'No rotas yet.');
  const { rota } = (await asked('add', ADA, BOB, '--timezone', 'Europe/Berlin', '--starts-on', '2026-01-05')).rota;
  assert.equal(rota.handover, { every: 'week', count: 1, weekday: 'mon', at: '09:00' });
  const shown = await cli.run(['rota', 'show', ...PAYMENTS]);
  assert.match(shown.stdout, /handover +every week on mon at 09:00/);
  assert.match(shown.stdout, /until +\d{4}-\d\d-\d\d 09:00 \(Europe\/Berlin\)/);
  assert.match((await cli.run(['on-call'])).stdout, /acme +payments +(?:ada|bob)@acme.example/);
  const other = rota.on_call?.email === ADA ? BOB : ADA;
  assert.is((await asked('change', '--on-call', other)).rota.rota.on_call?.email, other);
  const changed = await asked('change', '--at', '17:00', '--count', '2', '--no-announce');
  assert.equal(changed.rota.rota.handover, { every: 'week', count: 2, weekday: 'mon', at: '17:00' });
  assert.not.ok(changed.rota.rota.announce);
  assert.match(
    (await cli.run(['rota', 'change', ...PAYMENTS, '--name', 'Money', '--preview'])).stdout,
    'Nothing would',
  );
  assert.match((await cli.run(['rota', 'delete', ...PAYMENTS])).stdout, 'Deleted the rota acme/payments.');
});

test('An override puts a member on call until it is ended', async () => {
  const cli = await aTeam();
  await cli.run(['rota', 'add', ...PAYMENTS, ADA, '--starts-on', '2026-01-05']);
  const { override } = await cli.json<{ override: ShownOverride }>([
    'rota',
    'override',
    ...PAYMENTS,
    BOB,
    '--until',
    '8h',
  ]);
  assert.match((await cli.run(['rota', 'show', ...PAYMENTS])).stdout, `by override ${override.id}`);
  assert.match((await cli.run(['on-call', 'acme'])).stdout, BOB);
  const ended = await cli.run(['rota', 'override', ...PAYMENTS, '--end', override.id]);
  assert.match(ended.stdout, `Ended ${override.id}.`);
  assert.match((await cli.run(['on-call', 'acme'])).stdout, ADA);
});

test('A mistake gets a message with advice', async () => {
  const cli = await aTeam();
  const add = (...rest: readonly string[]) => cli.failure(2, ['rota', 'add', ...PAYMENTS, ...rest]);
  assert.match(await add(ADA, '--timezone', 'Mars/Base'), 'Europe/Berlin');
  assert.match(await add(ADA, ADA), 'more than once');
  assert.match(await add('eve@example.com'), 'is not a member of workspace');
  assert.match(await add(ADA, '--at', '25:00'), 'time of the day');
  assert.match(await add(ADA, '--every', 'day', '--weekday', 'mon'), 'for weeks alone');
  assert.match(await cli.failure(1, ['rota', 'show', ...PAYMENTS]), 'rota list acme');
  await cli.run(['rota', 'add', ...PAYMENTS, ADA]);
  assert.match(await cli.failure(2, ['rota', 'change', ...PAYMENTS]), 'nothing to change');
  assert.match(await cli.failure(2, ['rota', 'override', ...PAYMENTS]), 'rota show');
  assert.match(await cli.failure(2, ['rota', 'override', ...PAYMENTS, BOB]), '--until 8h');
});

test.run();
