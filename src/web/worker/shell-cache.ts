import { fromStorage, within } from '../within.ts';
import { cachedAs } from './shell-rules.ts';

/** The files of a start: common ones, each language's assets, and a version. The build inserts them. */
declare const SHELL: {
  readonly version: string;
  readonly files: readonly string[];
  readonly assets: Readonly<Record<string, readonly string[]>>;
};

const PREFIX = 'shell-';
const CURRENT = PREFIX + SHELL.version;
const PAGE = '/';
/** After this time, a hanging server no longer delays the kept page. */
const PAGE_MS = 5_000;

/** Keeps the app in the language now sent to this browser. */
export async function keepShell(): Promise<void> {
  const cache = await caches.open(CURRENT);
  // Skips the browser's cache: unhashed files must be of this build.
  const fresh = (file: string) => new Request(file, { cache: 'no-cache' });
  const page = await fetch(fresh(PAGE));
  if (!page.ok) throw new Error(`The page was answered with ${page.status}.`);
  await cache.addAll([...SHELL.files, ...(SHELL.assets[languageOf(page)] ?? [])].map(fresh));
  await cache.put(PAGE, page);
}

export async function keptLanguage(): Promise<string> {
  return languageOf(await (await caches.open(CURRENT)).match(PAGE));
}

function languageOf(page: Response | undefined): string {
  return page?.headers.get('Content-Language') ?? 'en';
}

/** Removes all old versions but the newest: tabs open during an upgrade need its parts. */
export async function forgetOldShells(): Promise<void> {
  const older = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CURRENT);
  for (const name of older.slice(0, -1)) await caches.delete(name);
}

/** Answers from server or cache; null: the browser asks the server. */
export function answerFromShell(event: FetchEvent): Promise<Response> | null {
  switch (cachedAs(event.request, location.origin)) {
    case 'page':
      return freshPage(event);
    case 'asset':
      return keptAsset(event.request);
    case null:
      return null;
  }
}

/** Returns the server's page, else the kept one. */
async function freshPage(event: FetchEvent): Promise<Response> {
  const coming = fetch(event.request);
  const page = await within(
    PAGE_MS,
    coming.catch(() => null),
  );
  if (page === null) return (await (await caches.open(CURRENT)).match(PAGE)) ?? coming;
  // The next page retries after a failure.
  if (page.ok) event.waitUntil(keepLanguageOf(page).catch(() => undefined));
  return page;
}

/** Keeps the app in a newly chosen language. */
async function keepLanguageOf(page: Response): Promise<void> {
  if (languageOf(page) !== (await keptLanguage())) await keepShell();
}

/** Returns an asset from storage, or from the server if storage is slow. Without the server, waits for storage. */
async function keptAsset(request: Request): Promise<Response> {
  const finding = caches.match(request);
  const kept = await fromStorage(finding);
  if (kept) return kept;
  try {
    return await fetch(request);
  } catch (error) {
    const late = await finding;
    if (late === undefined) throw error;
    return late;
  }
}
