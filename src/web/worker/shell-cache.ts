import { cachedAs } from './shell-rules.ts';

/** The files that the app starts with, and a name for this set of them: the build puts it here. */
declare const SHELL: { readonly version: string; readonly files: readonly string[] };

const PREFIX = 'shell-';
const CURRENT = PREFIX + SHELL.version;

export async function keepShell(): Promise<void> {
  const cache = await caches.open(CURRENT);
  // Past the browser's own cache: what has no hash in its name must be of this build.
  await cache.addAll(SHELL.files.map((file) => new Request(file, { cache: 'no-cache' })));
}

/** All but the one before: a tab that was open during an upgrade still asks for its parts. */
export async function forgetOldShells(): Promise<void> {
  const older = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CURRENT);
  for (const name of older.slice(0, -1)) await caches.delete(name);
}

/** null: the browser is to ask the server. */
export function answerFromShell(request: Request): Promise<Response> | null {
  switch (cachedAs(request, location.origin)) {
    case 'page':
      return freshPage(request);
    case 'asset':
      return keptAsset(request);
    case null:
      return null;
  }
}

/** From the server; without it, the same page as it was. */
async function freshPage(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(CURRENT)).match('/');
    if (kept === undefined) throw error;
    return kept;
  }
}

async function keptAsset(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request);
}
