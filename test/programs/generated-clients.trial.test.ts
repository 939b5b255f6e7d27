import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { generate, LANGUAGES, type Language, MAY_GROW, obstacleTo, step, VERSION } from './generated-clients.ts';
import { startGrowingProxy } from './growing-proxy.ts';

const clients = suite('generated clients');

for (const language of LANGUAGES) {
  skipWhere(obstacleTo(language), clients)(
    `A client for ${language.name} compiles with default options, posts, retries, lists and reads errors`,
    async () => {
      await using opened = new Resources();
      const { server, sandbox, team } = await startTestServer(opened);
      await team.addDevice(sandbox, { platform: 'android' });
      const document = await (await fetch(`${server.url}/api/openapi.json`)).text();
      const { grows } = language;
      const asItIs = await programOf(language, document);
      if (asItIs === null) return;
      await check(asItIs, server.url, team.key);
      if (grows === undefined) return;
      const tomorrow = await startGrowingProxy(opened, server.url, grows !== 'fields');
      const prepared = grows === 'properties' ? await programOf(language, document, MAY_GROW) : asItIs;
      if (prepared !== null) await check(prepared, tomorrow, team.key);
    },
  );
}

interface Program {
  readonly folder: string;
  readonly command: readonly string[];
}

/** Null: its libraries cannot be loaded here, which is said. */
async function programOf(
  language: Language,
  document: string,
  properties?: readonly string[],
): Promise<Program | null> {
  const folder = temporaryFolder();
  await generate(language, folder, document, properties);
  const isLoaded = await language.load?.(folder).then(
    () => true,
    () => false,
  );
  if (isLoaded !== false) return { folder, command: await language.build(folder) };
  process.stdout.write(`skipped: ${language.name} (its libraries cannot be loaded here)\n`);
  return null;
}

async function check({ folder, command }: Program, url: string, key: string): Promise<void> {
  const printed = JSON.parse(await step(folder, [...command, `${url}/api`, key]));
  assert.equal(printed, {
    posted: printed.read,
    replayed: printed.posted,
    devices: 1,
    valid: true,
    listed: 'Done',
    read: printed.posted,
    pushes: 1,
    refused: [
      [404, 'The channel does not exist in this workspace, or it is inactive.'],
      [422, 'The title field is required.'],
      [401, 'unauthenticated'],
    ],
  });
}

clients('The documents say what was tried, by which version and with what properties', () => {
  const page = readFileSync(packagePath('docs/versioning.md'), 'utf8');
  assert.match(page, `openapi-generator ${VERSION}`);
  for (const { generator } of LANGUAGES) assert.match(page, generator);
  for (const property of MAY_GROW) assert.match(page, property);
});

clients.run();
