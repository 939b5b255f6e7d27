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
    await site.startServer({ database: 'empty', sends: true }, sandbox);
    await site.close();
    // The HTTP thread, the store thread, the one that delivers; and the read worker, where something was asked of it.
    const profiles = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile')).length;
    assert.ok(profiles === 3 || profiles === 4, `${profiles} profiles`);
  } finally {
    delete process.env.BENCH_PROFILE;
    await site.close();
    rmSync(folder, { recursive: true });
  }
});

test('A start of the program is measured from its command until it takes events, and the program ends', async () => {
  const site = new Site();
  try {
    const sandbox = await site.startSandbox();
    const dataDir = await site.dataFolder('empty');
    // The second one finds the lock of the first one free.
    for (let start = 0; start < 2; start += 1) {
      const { tookMs, cpuMs, residentBytes } = await site.startProgram(dataDir, { sends: true }, sandbox);
      assert.ok(tookMs > 0 && cpuMs > 0, `${tookMs} ms, ${cpuMs} ms of CPU`);
      assert.ok(residentBytes > 2 ** 20, `${residentBytes} bytes`);
    }
  } finally {
    await site.close();
  }
});

test.run();
