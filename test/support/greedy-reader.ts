/** Takes the place of the thread's module for large bodies: does what the body asks for. */
import type { LargeBody, ReadLarge } from '../../src/http/senders/large-body-worker.ts';

export default function read({ bytes }: LargeBody): ReadLarge {
  const kept: unknown[] = [];
  switch (Buffer.from(bytes).toString()) {
    case 'hang':
      for (;;);
    case 'eat':
      for (;;) kept.push(Array.from({ length: 100_000 }, (_, at) => [at]));
    default:
      return { kind: 'read', publication: null };
  }
}
