import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import type { Heartbeat } from '../../src/store/calls.ts';
import { temporaryFolder } from '../support/folder.ts';
import { granted } from '../support/refusals.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { runProgram } from './receiver.ts';

const test = suite('curl');
const withCurl = skipWhere(spawnSync('curl', ['--version']).error === undefined ? null : 'needs curl', test);

/**
 * Recipes of Healthchecks' documentation (bash.md, attaching_logs.md, measuring_script_run_time.md), but for the
 * address.
 */
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
  await using opened = new Resources();
  const { server, team } = await startTestServer(opened);
  const named = { workspace: 'acme', slug: 'backup' };
  const { uuid } = granted(await team.store.createHeartbeat({ ...named, channel: 'alerts' }));
  const hasWget = spawnSync('wget', ['--version']).error === undefined;
  for (const [line, state, output] of LINES) {
    if (line.startsWith('wget') && !hasWget) continue;
    const own = line.replaceAll('https://hc-ping.com/your-uuid-here', `${server.url}/ping/${uuid}`);
    const { output: printed } = await runProgram('sh', ['-c', own]);
    const shown: Heartbeat = granted(await team.store.showHeartbeat(named));
    assert.is(shown.state, state, `${line}: ${printed}`);
    if (output !== null) assert.match(shown.last_output ?? '', output);
  }
});

/** The output or input of each recipe: larger than an argument of a program may be. */
const OUTPUT = `${'line of the log\\n'.repeat(12_800)}the end`;

function recipesIn(page: string): readonly string[] {
  const text = readFileSync(packagePath('docs', page), 'utf8');
  return [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)]
    .map(([, code = '']) => code)
    .filter((code) => code.includes('@-'));
}

withCurl('Each recipe of the documentation works with 200 KB of output', async () => {
  await using opened = new Resources();
  const { server, team } = await startTestServer(opened);
  const named = { workspace: 'acme', slug: 'backup' };
  const { uuid } = granted(await team.store.createHeartbeat({ ...named, channel: 'alerts' }));
  const { text: key } = await team.issueKey({ channels: ['alerts'], scopes: ['events:write'] });
  const folder = temporaryFolder();
  const [log, header, backup] = ['log', 'header', 'backup'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(log, OUTPUT);
  writeFileSync(header, `Authorization: Bearer ${key}`);
  writeFileSync(backup, `#!/bin/sh\ncat ${log}\nexit 1\n`, { mode: 0o755 });
  // An environment variable is bounded as an argument is.
  const env = { SMARTD_SUBJECT: 'SMART error', SMARTD_MESSAGE: OUTPUT.slice(-100_000), SMARTD_DEVICEINFO: 'sda' };
  const changes = [
    [/^30 2 \* \* \* root /m, ''],
    [/\\\\%/g, '%'],
    [/\/usr\/local\/bin\/backup|^backup/gm, backup],
    [/\/etc\/pushctl-key(?=[ \n])/g, header],
    [/\/proc\/mdstat|\/var\/log\/backup\.log/g, log],
    [/https:\/\/push\.example\.com/g, server.url],
    [/<uuid>/g, uuid ?? ''],
  ] as const;
  const recipes = ['senders.md', 'heartbeats.md'].flatMap(recipesIn);
  assert.is(recipes.length, 5);
  for (const recipe of recipes) {
    const script = changes.reduce((text, [from, to]) => text.replace(from, to), recipe);
    const { exitCode, output } = await runProgram('sh', ['-c', script, 'sh', 'Fail', '/dev/md0', '/dev/sdb1'], env);
    assert.is(exitCode, 0, `${script}\n${output}`);
  }
  const { events } = granted(await team.store.listEvents({ workspace: 'acme', limit: 10 }));
  assert.is(events.length, recipes.length, 'the last one is of the heartbeat that is down');
  assert.match(granted(await team.store.showHeartbeat(named)).last_output ?? '', /the end$/);
});

test.run();
