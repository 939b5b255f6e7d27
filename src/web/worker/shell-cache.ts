import { within } from '../within.ts';
import { cachedAs } from './shell-rules.ts';
import { fromStorage } from './storage.ts';

/** What the app starts with: files of any language, the assets of each, and a name for them. The build puts it here. */
declare const SHELL: {
  readonly version: string;
  readonly files: readonly string[];
  readonly assets: Readonly<Record<string, readonly string[]>>;
};

const PREFIX = 'shell-';
const CURRENT = PREFIX + SHELL.version;
const PAGE = '/';
/** A server that hangs keeps nobody from what is kept. */
const PAGE_MS = 5_000;

/** In the language that the server now gives this browser. */
export async function keepShell(): Promise<void> {
  const cache = await caches.open(CURRENT);
  // Past the browser's own cache: what has no hash in its name must be of this build.
  const fresh = (file: string) => new Request(file, { cache: 'no-cache' });
  const page = await fetch(fresh(PAGE));
  if (!page.ok) throw new Error(`The page was answered with ${page.status}.`);
  await cache.addAll([...SHELL.files, ...(SHELL.assets[languageOf(page)] ?? [])].map(fresh));
  await cache.put(PAGE, page);
}

/** The language of the page that is kept, which is that of the app here. */
export async function keptLanguage(): Promise<string> {
  return languageOf(await (await caches.open(CURRENT)).match(PAGE));
}

function languageOf(page: Response | undefined): string {
  return page?.headers.get('Content-Language') ?? 'en';
}

/** All but the one before: a tab that was open during an upgrade still asks for its parts. */
export async function forgetOldShells(): Promise<void> {
  const older = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CURRENT);
  for (const name of older.slice(0, -1)) await caches.delete(name);
}

/** null: the browser is to ask the server. */
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

/** From the server; if it does not answer, the same page as it was. */
async function freshPage(event: FetchEvent): Promise<Response> {
  const coming = fetch(event.request);
  const page = await within(
    PAGE_MS,
    coming.catch(() => null),
  );
  if (page === null) return (await (await caches.open(CURRENT)).match(PAGE)) ?? coming;
  // If that fails, the next page tries again.
  if (page.ok) event.waitUntil(keepLanguageOf(page).catch(() => undefined));
  return page;
}

/** Once the user has chosen another language, the app is kept in that one. */
async function keepLanguageOf(page: Response): Promise<void> {
  if (languageOf(page) !== (await keptLanguage())) await keepShell();
}

/** If the storage takes long, from the server; without the server, as soon as the storage has it. */
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
