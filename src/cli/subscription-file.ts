import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { BrowserSubscription } from '../contract/addresses/address.ts';
import { OperatorProblem } from '../process/problem.ts';
import type { CommandContext } from './context.ts';

/** Browsers' longest subscriptions have some 700 bytes. */
const MAX_BYTES = 16 * 1024;

/**
 * Reads a push subscription (`PushSubscription.toJSON()`) from a file, or `-` for stdin. Addresses are checked later.
 * Errors never show its secret contents.
 */
export async function readSubscription({ process }: CommandContext, file: string): Promise<BrowserSubscription> {
  const text = await read(file === '-' ? process.stdin : createReadStream(file), file);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw wrong(`${file} is not JSON`);
  }
}

async function read(input: Readable, file: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of input) {
      parts.push(part);
      bytes += part.length;
      if (bytes > MAX_BYTES) break;
    }
  } catch (error) {
    throw wrong(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  if (bytes > MAX_BYTES) throw wrong(`${file} has more than ${MAX_BYTES} bytes, so it is not a push subscription`);
  return Buffer.concat(parts).toString('utf8');
}

function wrong(what: string): OperatorProblem {
  const advice = 'name a file with the JSON of PushSubscription.toJSON() from the browser, or - for standard input';
  return new OperatorProblem(what, 1, { advice });
}
