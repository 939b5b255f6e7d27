import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { entryUrl } from '../../src/process/entry-points.ts';
import { packagePath } from '../../src/process/package.ts';
import { withSourcePlaces } from '../../src/process/source-places.ts';
import { temporaryFolder } from '../support/folder.ts';

const THREAD = entryUrl('store/transports/thread');

test('The stack trace of a bundled thread names the lines of the sources', async () => {
  const worker = new Worker(THREAD, { workerData: null });
  const [error] = await once(worker, 'error').catch((thrown: unknown) => [thrown]);
  assert.match((error as Error).stack ?? '', `${packagePath('src', 'store', 'transports', 'thread.ts')}:`);
});

test('A place in a file that was replaced after the start keeps its line, because the map is of another file', () => {
  const copy = join(temporaryFolder(), 'thread.js');
  for (const end of ['', '.map']) copyFileSync(`${fileURLToPath(THREAD)}${end}`, `${copy}${end}`);
  const placeIn = (url: URL) => withSourcePlaces(`at ${url.href}:2000:1`);
  assert.match(placeIn(THREAD), /^at \/.*\.ts:\d+:\d+$/);
  assert.is(placeIn(pathToFileURL(copy)), `at ${pathToFileURL(copy).href}:2000:1`);
});

test.run();
