import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/process/package.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Opened } from '../support/opened.ts';
import { startTestServer } from '../support/server.ts';
import { skipWhere } from '../support/skip.ts';
import { generate, LANGUAGES, obstacleTo, step, VERSION } from './generated-clients.ts';
import { startGrowingProxy } from './growing-proxy.ts';

const clients = suite('generated clients');

for (const language of LANGUAGES) {
  skipWhere(obstacleTo(language), clients)(
    `A client for ${language.name} compiles, posts, lists and reads errors, also where answers have grown`,
    async () => {
      await using opened = new Opened();
      const { server, sandbox, team } = await startTestServer(opened);
      await team.addDevice(sandbox, { platform: 'android' });
      const folder = temporaryFolder();
      await generate(language, folder, await (await fetch(`${server.url}/api/openapi.json`)).text());
      const isLoaded = await language.load?.(folder).then(
        () => true,
        () => false,
      );
      if (isLoaded === false) {
        process.stdout.write(`skipped: ${language.name} (its libraries cannot be loaded here)\n`);
        return;
      }
      const command = await language.build(folder);
      const tomorrow = await startGrowingProxy(opened, server.url, !language.isClosedToWords);
      for (const url of [server.url, tomorrow]) {
        const said = JSON.parse(await step(folder, [...command, `${url}/api`, team.key]));
        assert.equal(said, {
          posted: said.read,
          devices: 1,
          valid: true,
          listed: 'Done',
          read: said.posted,
          pushes: 1,
          refused: [
            [404, 'The channel does not exist in this workspace, or it is inactive.'],
            [422, 'The title field is required.'],
            [401, 'unauthenticated'],
          ],
        });
      }
    },
  );
}

clients('The documents say what was tried, by which version and with what properties', () => {
  const page = readFileSync(packagePath('docs/versioning.md'), 'utf8');
  assert.match(page, `openapi-generator ${VERSION}`);
  for (const { generator, properties } of LANGUAGES) {
    assert.match(page, `\`${generator}\``);
    for (const property of properties) if (!property.startsWith('packageName')) assert.match(page, property);
  }
});

clients.run();
