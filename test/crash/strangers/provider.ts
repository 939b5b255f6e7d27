import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeAuthority, makeServerCertificate } from '../../../src/sandbox/credentials.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** A push as it came in. `atMs`: when its headers did, by `performance.now()`. */
export interface RecordedPush {
  readonly token: string;
  readonly eventId: string;
  readonly workspace: string;
  readonly collapseKey: string | null;
  readonly isQuiet: boolean;
  /** null: of no alert. */
  readonly alert: { readonly id: string; readonly isOpen: boolean; readonly reminder: number } | null;
  readonly atMs: number;
}

/** A provider that knows nothing of pushctl: it speaks as Apple does, takes every push, and remembers each. */
export interface RecordingProvider {
  readonly url: string;
  readonly caFile: string;
  readonly pushes: readonly RecordedPush[];
  /** Tokens whose pushes it takes its time to answer. */
  readonly slow: Set<string>;
  close(): Promise<void>;
}

/** Few enough for pushes to wait for one. */
const STREAMS = 20;
const SLOW_MS = 100;

export async function startRecordingProvider(): Promise<RecordingProvider> {
  const authority = await makeAuthority(Date.now());
  const server = createSecureServer({
    ...(await makeServerCertificate(authority, Date.now())),
    settings: { maxConcurrentStreams: STREAMS },
  });
  const caFile = join(temporaryFolder(), 'ca.pem');
  writeFileSync(caFile, authority.certPem);
  const pushes: RecordedPush[] = [];
  const slow = new Set<string>();
  server.on('sessionError', () => {});
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const atMs = performance.now();
    const token = String(headers[':path']).split('/').at(-1) ?? '';
    let body = '';
    stream.on('error', () => {});
    stream.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    stream.on('end', () => {
      pushes.push({ token, ...parsed(body), atMs });
      if (slow.has(token)) setTimeout(() => answer(stream), SLOW_MS);
      else answer(stream);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caFile,
    pushes,
    slow,
    async close() {
      server.close();
    },
  };
}

function answer(stream: ServerHttp2Stream): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': 200 });
  stream.end();
}

function parsed(body: string): Omit<RecordedPush, 'token' | 'atMs'> {
  const payload = JSON.parse(body) as Readonly<Record<string, unknown>>;
  const { event_id, workspace, collapse_key, quiet, alert_id, alert_state, reminder } = payload;
  return {
    eventId: String(event_id),
    workspace: String(workspace),
    collapseKey: collapse_key === undefined ? null : String(collapse_key),
    isQuiet: quiet === true,
    alert:
      alert_id === undefined
        ? null
        : { id: String(alert_id), isOpen: alert_state === 'open', reminder: Number(reminder) },
  };
}
