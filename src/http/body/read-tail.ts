import type { BareContext } from '../request-state.ts';
import { brokenOff, receiveBytes, tooLarge } from './read-json.ts';

/** The last `keptBytes` of a body that may be longer than is worth holding in memory. Throws as `receiveBytes` does. */
export function readTail(context: BareContext, limitBytes: number, keptBytes: number): Promise<Buffer> {
  return receiveBytes(context, limitBytes, () => receiveTail(context, limitBytes, keptBytes));
}

function receiveTail({ req: request }: BareContext, limitBytes: number, keptBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let tail: Buffer = Buffer.alloc(0);
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limitBytes) {
        request.off('data', take).pause();
        reject(tooLarge(limitBytes));
        return;
      }
      tail = chunk.length >= keptBytes ? chunk.subarray(-keptBytes) : Buffer.concat([tail, chunk]).subarray(-keptBytes);
    };
    const breakOff = (): void => {
      if (!request.readableEnded) reject(brokenOff(request));
    };
    if (request.destroyed) breakOff();
    request
      .on('data', take)
      .once('end', () => resolve(tail))
      .once('error', breakOff)
      .once('close', breakOff);
  });
}
