import type { CustomFetchOptions } from 'openid-client';

/** What a provider says of itself, its keys and its tokens have some KiB. */
const MOST_BYTES = 262_144;

/** Fetches a response whose body fails beyond a bound, so that no provider fills the memory. */
export async function boundedFetch(url: string, options: CustomFetchOptions): Promise<Response> {
  const response = await fetch(url, options as RequestInit);
  const { status, statusText, headers } = response;
  const bounded = response.body?.pipeThrough(bound(MOST_BYTES)) ?? null;
  return new Response(bounded, { status, statusText, headers });
}

function bound(mostBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > mostBytes) controller.error(new Error(`the response is larger than ${mostBytes / 1024} KiB`));
      else controller.enqueue(chunk);
    },
  });
}
