import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nameCertificate, sendRequest } from '../../src/process/bounded-request.ts';
import { packagePath } from '../../src/process/package.ts';
import { anEndlessPeer, ENDLESS, type EndlessWay, FLOOD_BYTES } from '../support/endless-peer.ts';
import { Resources } from '../support/resources.ts';
import { untilIs } from '../support/until.ts';

const MIB = 1_048_576;
/** No way takes so long but the slow ones. */
const PATIENT_MS = 30_000;

const CODES: Readonly<Record<EndlessWay, string>> = {
  headers: 'HPE_HEADER_OVERFLOW',
  'a header': 'HPE_HEADER_OVERFLOW',
  'interim responses': 'EMSGSIZE',
  'a body': 'EMSGSIZE',
  chunks: 'EMSGSIZE',
  'a chunk extension': 'HPE_CHUNK_EXTENSIONS_OVERFLOW',
  trailers: 'HPE_HEADER_OVERFLOW',
  'headers, a byte at a time': 'ETIMEDOUT',
  'a body, a byte at a time': 'ETIMEDOUT',
};

for (const [way, code] of Object.entries(CODES) as [EndlessWay, string][]) {
  test(`a peer that sends ${way} without end is hung up on`, async () => {
    await using opened = new Resources();
    const peer = await anEndlessPeer(opened, 'http');
    peer.answer = way;
    const withinMs = ENDLESS[way].isSlow ? 300 : PATIENT_MS;
    const failed = await sendRequest(peer.url, { withinMs, mostBytes: MIB }).then(
      () => null,
      (error: NodeJS.ErrnoException) => error.code,
    );
    assert.is(failed, code);
    await untilIs('the connection to have ended', () => peer.open, 0);
    assert.ok(peer.sentBytes < FLOOD_BYTES, 'it was read to its end');
  });
}

test('an HTTP/2 session that ends during its TLS handshake does not end the process', () => {
  const socket = new TLSSocket(new PassThrough());
  const session = connect('https://localhost', { createConnection: () => socket });
  nameCertificate(session.socket);
  session.destroy();
  assert.not.throws(() => socket.emit('secure'));
});

test('no request of pushctl leaves by another way, but for those of agents that bound them', () => {
  const makesRequests = /(?<![#.\w])fetch\(|import \{[^}]*\brequest\b[^}]*\} from 'node:https?'|from 'undici'/;
  const sources = readdirSync(packagePath('src'), { recursive: true, encoding: 'utf8' });
  const found = sources.filter(
    (path) =>
      /\.tsx?$/.test(path) &&
      !path.startsWith('web/') &&
      makesRequests.test(readFileSync(join(packagePath('src'), path), 'utf8')),
  );
  assert.equal(found.sort(), ['process/bounded-request.ts', 'providers/https.ts']);
});

test.run();
