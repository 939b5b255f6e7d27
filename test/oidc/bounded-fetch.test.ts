import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OidcProvider } from '../../src/oidc/provider.ts';
import { systemClock } from '../../src/process/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Resources } from '../support/resources.ts';
import { until } from '../support/until.ts';

const MIB = 1_048_576;
/** The buffers of both ends of a connection. */
const BUFFERED_BYTES = 16 * MIB;
const PIECE = Buffer.alloc(65_536, ' ');

/** Goes on until the client has gone. Answers how much was written. */
async function writeWithoutEnd(response: ServerResponse): Promise<number> {
  response.writeHead(200, { 'content-type': 'application/json' });
  let written = 0;
  let isOpen = true;
  const closed = once(response, 'close').then(() => {
    isOpen = false;
  });
  while (isOpen) {
    written += PIECE.length;
    if (!response.write(PIECE)) await Promise.race([once(response, 'drain'), closed]);
  }
  return written;
}

test('a provider whose response does not end is cut off, and is named as what is wrong', async () => {
  await using opened = new Resources();
  const written: number[] = [];
  const server = createServer((_, response) => void writeWithoutEnd(response).then((bytes) => written.push(bytes)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  opened.onEnd(() => void server.close().closeAllConnections());
  const clientSecretFile = join(temporaryFolder(), 'secret');
  writeFileSync(clientSecretFile, 'a secret');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new OidcProvider({
    settings: { issuer, clientId: 'pushctl', clientSecretFile, scopes: [], trustEmail: false, name: 'x', only: false },
    redirectUri: 'https://push.example.com/callback',
    secretPath: () => clientSecretFile,
    clock: systemClock(),
  });
  assert.match((await provider.examine())?.message ?? '', /cannot be reached: the response is too long/);
  await until('the connection to have ended', () => written.length === 1 || written.length);
  assert.ok((written[0] ?? 0) < BUFFERED_BYTES, `${written[0]} bytes were written`);
});

test.run();
