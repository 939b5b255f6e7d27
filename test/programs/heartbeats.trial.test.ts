import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Heartbeat } from '../../src/store/calls.ts';
import { temporaryFolder } from '../support/folder.ts';
import { granted } from '../support/refusals.ts';
import { fromPypi } from '../support/registries.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { until, untilIs } from '../support/until.ts';
import { valuesOf } from '../support/values-of.ts';
import { alertmanagerObstacle, startAlertmanager } from './alertmanager.ts';
import { runProgram } from './receiver.ts';

const test = suite('heartbeats of programs');
const pypi = fromPypi('borgmatic==2.1.10');
const withAlertmanager = skipWhere(alertmanagerObstacle(), test);
const withBorgmatic = skipWhere(pypi.obstacle, test);

/** In the place of borg, which makes no difference to what borgmatic reports: it ends with what the file `status` says. */
const BORG = `#!/bin/sh
case "$*" in *--version*) echo "borg 1.4.1"; exit 0;; esac
status=$(cat "$(dirname "$0")/status")
[ "$status" = 0 ] || echo "Repository is gone" >&2
exit "$status"
`;

type Team = Awaited<ReturnType<typeof startTestServer>>['team'];

const byUuid = async ({ store }: Team, slug: string) =>
  granted(await store.createHeartbeat({ workspace: 'acme', channel: 'alerts', slug })).uuid;
const byName = async ({ issueKey }: Team, slug: string) =>
  `${(await issueKey({ scopes: ['heartbeats:ping'], channels: ['alerts'] })).text}/${slug}`;

for (const [hook, how, addressOf, settingsOf] of [
  ['healthchecks', 'a UUID', byUuid, (ping_url: string) => ({ ping_url })],
  ['healthchecks', 'a slug that it creates', byName, (ping_url: string) => ({ ping_url, create_slug: true })],
  ['uptime_kuma', 'a UUID', byUuid, (push_url: string) => ({ push_url })],
] as const) {
  withBorgmatic(
    `borgmatic reports by its hook ${hook} with ${how} that a backup begins, fails, and succeeds again`,
    async () => {
      await using opened = new Resources();
      const { server, team } = await startTestServer(opened);
      const named = { workspace: 'acme', slug: 'backup' };
      const address = await addressOf(team, named.slug);
      const read = async (): Promise<Heartbeat> => granted(await team.store.showHeartbeat(named));
      const backUp = aBackup({ [hook]: settingsOf(`${server.url}/ping/${address}`) });

      assert.is(await backUp(0), 0);
      const done = await read();
      assert.is(done.state, 'up');
      if (hook === 'healthchecks') assert.ok(done.last_start_at !== null && done.last_duration_ms !== null);
      assert.is(await backUp(2), 1);
      const failed = await read();
      assert.is(failed.state, 'down');
      if (hook === 'uptime_kuma') assert.is(failed.last_output, 'fail');
      assert.is(await backUp(0), 0);
      assert.is((await read()).state, 'up');
      const { events } = granted(await team.store.listEvents({ workspace: 'acme', limit: 10 }));
      assert.equal(valuesOf(events, 'event_type'), ['heartbeat.up', 'heartbeat.down']);
    },
  );
}

withAlertmanager('Watchdog of Alertmanager pings as long as it fires', async () => {
  await using opened = new Resources();
  const { server, team } = await startTestServer(opened);
  const named = { workspace: 'acme', slug: 'prometheus' };
  const { uuid } = granted(await team.store.createHeartbeat({ ...named, channel: 'alerts' }));
  const read = async (): Promise<Heartbeat> => granted(await team.store.showHeartbeat(named));
  const url = `${server.url}/ping/${uuid}`;
  const running = await startAlertmanager(opened, { url, key: 'none', repeatInterval: '2s' });
  await running.fire('Watchdog');
  await untilIs('the first ping', async () => (await read()).state, 'up');
  const { last_ping_at: first } = await read();
  await until('the next one', async () => (await read()).last_ping_at !== first);
});

test.run();

/** Runs borgmatic; borg ends with this status. Answers that of borgmatic. */
function aBackup(hook: object): (status: number) => Promise<number | null> {
  const folder = temporaryFolder();
  const [borg, config] = [join(folder, 'borg'), join(folder, 'config.yaml')];
  writeFileSync(borg, BORG);
  chmodSync(borg, 0o755);
  const repositories = [{ path: join(folder, 'repository') }];
  // JSON is YAML.
  const settings = { source_directories: [folder], repositories, local_path: borg, ...hook };
  writeFileSync(config, JSON.stringify({ ...settings, user_runtime_directory: folder, user_state_directory: folder }));
  return async (status) => {
    writeFileSync(join(folder, 'status'), String(status));
    const { exitCode } = await runProgram(join(pypi.folder, 'bin/borgmatic'), ['--config', config, 'create']);
    return exitCode;
  };
}
