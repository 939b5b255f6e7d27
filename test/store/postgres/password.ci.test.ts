import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionsTo } from '../../../src/store/postgres/connections.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { Resources } from '../../support/resources.ts';

test('A changed password file is used by the next connection, and the last known password if the file is gone', async () => {
  await using opened = new Resources();
  const { port, passwords } = await askingForPasswords(opened);
  const file = join(temporaryFolder(), 'password');
  const query = new URLSearchParams({ password: 'first', password_file: file });
  const connections = connectionsTo({ url: `postgres://pushctl@127.0.0.1:${port}/pushctl?${query}` });
  const ask = () => connections.lend(({ execute }) => execute('SELECT 1')).catch(() => {});
  for (const password of ['first\n', 'second\n']) {
    writeFileSync(file, password);
    await ask();
  }
  rmSync(file);
  await ask();
  await connections.close();
  assert.equal(passwords, ['first', 'second', 'first']);
});

test.run();

/** A server that asks for a password in clear text (https://www.postgresql.org/docs/current/protocol-message-formats.html), and refuses each. */
async function askingForPasswords(opened: Resources): Promise<{ readonly port: number; readonly passwords: string[] }> {
  const passwords: string[] = [];
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
      socket.once('data', (message) => {
        passwords.push(message.subarray(5, -1).toString('utf8'));
        socket.destroy();
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.onEnd(() => server.close());
  return { port: (server.address() as AddressInfo).port, passwords };
}
