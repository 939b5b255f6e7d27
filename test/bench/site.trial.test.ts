import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Site } from './site.ts';

test('A server that is profiled leaves the profile of each of its threads behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pushctl-profile-'));
  const site = new Site();
  process.env.BENCH_PROFILE = folder;
  try {
    const sandbox = await site.startSandbox();
    await site.startServer({ database: 'empty', sends: true, threads: 2 }, sandbox);
    await site.close();
    // The HTTP thread, the store thread, the two that deliver; and the read worker, where something was asked of it.
    const profiles = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile')).length;
    assert.ok(profiles === 4 || profiles === 5, `${profiles} profiles`);
  } finally {
    delete process.env.BENCH_PROFILE;
    await site.close();
    rmSync(folder, { recursive: true });
  }
});

test.run();
