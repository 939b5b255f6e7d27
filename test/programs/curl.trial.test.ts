import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Heartbeat } from '../../src/store/calls.ts';
import { Opened } from '../support/opened.ts';
import { granted } from '../support/refusals.ts';
import { startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { runProgram } from './receiver.ts';

const test = suite('curl');
const withCurl = skipWhere(spawnSync('curl', ['--version']).error === undefined ? null : 'needs curl', test);

/** Of Healthchecks' documentation (bash.md, attaching_logs.md, measuring_script_run_time.md), but for the address. */
const LINES: readonly (readonly [string, Heartbeat['state'], string | null])[] = [
  ['curl -fsS -m 10 --retry 5 -o /dev/null https://hc-ping.com/your-uuid-here', 'up', null],
  ['/usr/bin/false && curl -fsS -m 10 --retry 5 -o /dev/null https://hc-ping.com/your-uuid-here', 'up', null],
  ['/usr/bin/false; curl -fsS -m 10 --retry 5 -o /dev/null https://hc-ping.com/your-uuid-here/$?', 'down', null],
  ['m=$(echo 42 2>&1); curl -fsS -m 10 --retry 5 --data-raw "$m" https://hc-ping.com/your-uuid-here', 'up', '42'],
  [
    'm=$(ls /nowhere 2>&1); curl -fsS -m 10 --retry 5 --data-raw "$m" https://hc-ping.com/your-uuid-here/$?',
    'down',
    '/nowhere',
  ],
  ['curl -fsS -m 10 --retry 5 --data-raw "" https://hc-ping.com/your-uuid-here/0', 'up', null],
  [
    'RID=`cat /proc/sys/kernel/random/uuid`; curl -fsS -m 10 --retry 5 "https://hc-ping.com/your-uuid-here/start?rid=$RID" && curl -fsS -m 10 --retry 5 "https://hc-ping.com/your-uuid-here?rid=$RID"',
    'up',
    null,
  ],
  ['wget https://hc-ping.com/your-uuid-here/fail -T 10 -t 10 -O /dev/null', 'down', null],
];

withCurl('The lines of Healthchecks’ documentation work with no more than another address', async () => {
  await using opened = new Opened();
  const { server, team } = await startTestServer(opened);
  const named = { workspace: 'acme', slug: 'backup' };
  const { uuid } = granted(await team.store.createHeartbeat({ ...named, channel: 'alerts' }));
  const hasWget = spawnSync('wget', ['--version']).error === undefined;
  for (const [line, state, output] of LINES) {
    if (line.startsWith('wget') && !hasWget) continue;
    const own = line.replaceAll('https://hc-ping.com/your-uuid-here', `${server.url}/ping/${uuid}`);
    const { output: said } = await runProgram('sh', ['-c', own]);
    const shown: Heartbeat = granted(await team.store.showHeartbeat(named));
    assert.is(shown.state, state, `${line}: ${said}`);
    if (output !== null) assert.match(shown.last_output ?? '', output);
  }
});

test.run();
