#!/usr/bin/env node
// Writes dist/api-types.d.ts, the types of the API's description. setup.js calls it before the compiler runs, so Node
// strips the types of the sources.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../src/contract/openapi.ts';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));

const API_TYPES = 'dist/api-types.d.ts';

const limits = { burstPerMinute: 0, connectionPerMinute: 0 };
const retention = { eventsMs: 0, deliveriesMs: 0, maxSizeBytes: null };
const document = JSON.stringify(
  openApiDocument({ baseUrl: '/api', limits, retention, delivery: { ttlMs: 0 } }, { isFlat: false }),
);
// Generating takes a second, so the types are kept while the description stays the same.
const firstLine = `// Made from the API's description, SHA-256 ${createHash('sha256').update(document).digest('hex')}.\n`;
if (!existsSync(API_TYPES) || !readFileSync(API_TYPES, 'utf8').startsWith(firstLine)) {
  // The generator needs a compiler with an API; TypeScript 7 has none.
  await import('../test/support/compiler-api.ts');
  const { default: generate, astToString } = await import('openapi-typescript');
  mkdirSync('dist', { recursive: true });
  writeFileSync(API_TYPES, firstLine + astToString(await generate(document)));
}
