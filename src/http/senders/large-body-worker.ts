/** Parses large bodies in a thread: see large-bodies.ts. */
import { gunzipSync } from 'node:zlib';
import { Body } from '../../contract/senders/bodies.ts';
import type { Reply, SenderFormat } from '../../contract/senders/format.ts';
import { findKey } from '../../contract/senders/key-places.ts';
import type { SenderName } from '../../contract/senders/names.ts';
import { SENDERS } from '../../contract/senders/table.ts';
import { type FittedPublication, fittedPublication } from '../../contract/senders/texts.ts';
import { collectUsedBuffers, lowerThreadPriority } from '../../process/threads.ts';
import { BODY_LIMIT_BYTES } from '../response.ts';
import { LARGE_BYTES } from './received-body.ts';

lowerThreadPriority();

export interface LargeBody {
  readonly format: SenderName;
  /** The path below the format's address. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: string;
  /** Values by the fields' names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly nowMs: number;
  /** The key found in the body before parsing; undefined: it was elsewhere. */
  readonly tokenInBody?: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isGzip: boolean;
}

export type ReadLarge =
  | { readonly kind: 'read'; readonly publication: FittedPublication | Reply | null }
  | { readonly kind: 'refused'; readonly why: Refusal };

export type Refusal = 'not_gzip' | 'too_large' | 'too_dense' | 'wrong_key';

const LENGTH_BYTES = 4;
/** The most short alerts that fit have three quarters of these values. */
const MOST_VALUES = 400_000;
/** Largest inflation ratio. Alerts differing only in instance and fingerprint reach 30. */
const DENSEST = 100;

export default async function readLargeBody(body: LargeBody): Promise<ReadLarge> {
  try {
    return await readBody(body);
  } finally {
    collectUsedBuffers();
  }
}

async function readBody({ format, path, params, bytes, isGzip, ...sent }: LargeBody): Promise<ReadLarge> {
  const inflated = isGzip ? inflate(bytes) : bytes;
  if (typeof inflated === 'string') return { kind: 'refused', why: inflated };
  const contentType = sent.headers['content-type'] ?? '';
  const body = new Body(inflated, { contentType, mostValues: MOST_VALUES });
  const { addresses, keys }: SenderFormat = SENDERS[format];
  const act = addresses.find((address) => address.path === path)?.act;
  if (act === undefined || !('publish' in act)) throw new Error(`${format} publishes nothing at ${path}`);
  const query = new URLSearchParams(sent.query);
  const request = { params, body, query, header: (name: string) => sent.headers[name] ?? '', nowMs: sent.nowMs };
  // The text search may have found an inner object's.
  const isOther = sent.tokenInBody !== undefined && findKey(keys, request).token !== sent.tokenInBody;
  if (isOther) return { kind: 'refused', why: 'wrong_key' };
  const publication = await fittedPublication(act, request);
  return { kind: 'read', publication };
}

function inflate(bytes: Uint8Array): Uint8Array | Refusal {
  const densest = Math.max(BODY_LIMIT_BYTES, DENSEST * bytes.length);
  const maxOutputLength = Math.min(LARGE_BYTES, densest);
  // One piece of memory instead of many. A byte left over proves the end.
  const chunkSize = 1 + Math.max(BODY_LIMIT_BYTES, Math.min(maxOutputLength, declaredLength(bytes)));
  try {
    return gunzipSync(bytes, { maxOutputLength, chunkSize });
  } catch (error) {
    const isTooMuch = error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    if (!isTooMuch) return 'not_gzip';
    return densest < LARGE_BYTES ? 'too_dense' : 'too_large';
  }
}

/** Returns gzip's declared length (RFC 1952, ISIZE). A false one takes more pieces. */
function declaredLength(bytes: Uint8Array): number {
  const { buffer, byteOffset, length } = bytes;
  return length < LENGTH_BYTES ? 0 : new DataView(buffer, byteOffset, length).getUint32(length - LENGTH_BYTES, true);
}
