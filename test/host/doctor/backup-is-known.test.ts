import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../src/config/load.ts';
import { examineConfig } from '../../../src/host/doctor/gather.ts';
import { systemClock } from '../../../src/process/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('An audit log that forgets the last backup before it counts as too old is a warning', () => {
  const folder = temporaryFolder();
  const findings = (env: Record<string, string>) =>
    examineConfig({ config: loadConfig({ env, file: null }), file: null, clock: systemClock() })
      .filter(({ check }) => check === 'retention.audit')
      .map(({ status }) => status);
  const backup = { PUSHCTL_BACKUP_FOLDER: folder, PUSHCTL_BACKUP_EVERY: '30d' };
  assert.equal(findings({ ...backup, PUSHCTL_RETENTION_AUDIT: '59d' }), ['warn']);
  assert.equal(findings({ ...backup, PUSHCTL_RETENTION_AUDIT: '60d' }), []);
  assert.equal(findings({ PUSHCTL_RETENTION_AUDIT: '24h' }), [], 'the server makes none');
});

test.run();
