import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { whyRunningCannotWrite } from '../../../src/host/doctor/files.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { skipWhere } from '../../support/skip.ts';

const MOUNTS = ['--mount', '--propagation', 'private'];
const obstacle = spawnSync('unshare', [...MOUNTS, 'true']).status === 0 ? null : 'needs root, and a mount namespace';

skipWhere(obstacle, test)(
  'A folder that was made after the start of the service is read-only to it: restart needed',
  async () => {
    const [before, later] = [temporaryFolder(), join(temporaryFolder(), 'later')];
    mkdirSync(later);
    // systemd does this for ProtectSystem=strict: only folders that existed then can be written.
    const script = `mount --bind ${later} ${later} && mount -o remount,ro,bind ${later} && echo ready && exec sleep 60`;
    const service = spawn('unshare', [...MOUNTS, 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(service.stdout, 'data');
      const { pid = 0 } = service;
      assert.match(
        whyRunningCannotWrite(later, pid) ?? '',
        /^the running service cannot write to .*later, which was created/,
      );
      assert.is(whyRunningCannotWrite(before, pid), null);
      assert.is(whyRunningCannotWrite(later, null), null, 'it does not run');
    } finally {
      service.kill();
      await once(service, 'close');
    }
  },
);

test.run();
