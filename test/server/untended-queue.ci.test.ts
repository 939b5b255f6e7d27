import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionsTo } from '../../src/store/postgres/connections.ts';
import { startTestServers } from '../support/cluster-servers.ts';
import { temporarySchema } from '../support/postgres.ts';
import { Resources } from '../support/resources.ts';
import { until } from '../support/until.ts';

test('While the counts of the queue cannot be kept short the server logs it once, and reports it as a finding', async () => {
  await using opened = new Resources();
  const url = await temporarySchema();
  const log: string[] = [];
  const { servers, team, sandbox } = await startTestServers(opened, {
    url,
    count: 1,
    env: { PUSHCTL_METRICS_LISTEN: '127.0.0.1:0' },
    log: (line) => log.push(line),
  });
  const countOf = (word: string) => log.filter((line) => line.includes(word)).length;
  const isFound = async () => {
    assert.is((await team.post()).status, 202);
    const text = await (await fetch(String(servers[0]?.server.metricsUrl))).text();
    return text.includes('pushctl_findings{check="queue",severity="warn"} 1');
  };
  await team.addDevice(sandbox, { platform: 'ios' });
  const stranger = opened.add(connectionsTo({ url }));
  await stranger.lend(({ execute }) => execute('ALTER TABLE queue_floor RENAME TO elsewhere'));
  await stranger.lend(({ execute }) =>
    execute('CREATE VIEW queue_floor AS SELECT *, generate_series(1, 1) FROM elsewhere'),
  );
  await until('it is found', isFound);
  await stranger.lend(({ execute }) => execute('DROP VIEW queue_floor'));
  await stranger.lend(({ execute }) => execute('ALTER TABLE elsewhere RENAME TO queue_floor'));
  await until('it is well again', async () => !(await isFound()));
  assert.is(countOf('cannot be compacted'), 1);
  assert.is(countOf('are compacted again'), 1);
});

test.run();
