import { APP_ADDRESSES } from '../../contract/app-addresses.ts';
import { ApiError } from '../errors.ts';
import { isEtagListed } from '../kept.ts';
import type { Context, Handler } from '../request-state.ts';
import type { HttpResponse } from '../response.ts';
import { ENCODINGS, type WebFile, type WebFiles } from './files.ts';

/** Pages and other changing files: revalidated each time, mostly unchanged. */
const FRESH = 'no-cache';
/** Names change with contents. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const ASSETS = '/assets/';

/** The web app's handlers by pattern: pages, assets, and other files. */
export function webRoutes(files: WebFiles): ReadonlyMap<string, Handler> {
  const languages = languagesIn(files);
  const page: Handler = (context) => answerPage(context, files, languageFor(context, languages));
  const others = [...files.keys()].filter((address) => !isPage(address) && !address.startsWith(ASSETS));
  return new Map<string, Handler>([
    ...APP_ADDRESSES.map((address) => [address.replaceAll(/{(\w+)}/g, ':$1'), page] as const),
    ...others.map((address) => [address, (context: Context) => answer(context, files.get(address), FRESH)] as const),
    [`${ASSETS}:file`, (context) => answer(context, files.get(context.path), FOR_EVER)],
  ]);
}

export function missingPage(context: Context, files: WebFiles): HttpResponse {
  const language = languageFor(context, languagesIn(files));
  const body = files.get(pageIn(language))?.body;
  if (body === undefined) throw new ApiError('route_not_found');
  const headers = { ...WEB_HEADERS, 'Content-Type': 'text/html; charset=utf-8', 'Content-Language': language };
  return { status: 404, body, headers: { ...headers, 'Cache-Control': 'no-store' } };
}

function answerPage(context: Context, files: WebFiles, language: string): HttpResponse {
  const { headers, ...response } = answer(context, files.get(pageIn(language)), FRESH);
  const vary = 'Accept-Encoding, Accept-Language, Cookie';
  return { ...response, headers: { ...headers, 'Content-Language': language, Vary: vary } };
}

function answer(context: Context, file: WebFile | undefined, caching: string): HttpResponse {
  if (file === undefined) throw new ApiError('route_not_found');
  const encoding = ENCODINGS.find(({ name }) => file.encoded[name] && context.acceptsEncodings(name))?.name;
  const { body, etag } = (encoding && file.encoded[encoding]) ?? file;
  const headers = { ...WEB_HEADERS, ETag: etag, 'Cache-Control': caching, Vary: 'Accept-Encoding' };
  if (isEtagListed(context.req.headers['if-none-match'], etag)) return { status: 304, headers };
  return {
    status: 200,
    body,
    headers: { ...headers, 'Content-Type': file.type, ...(encoding && { 'Content-Encoding': encoding }) },
  };
}

/** Allows pages our files and API only. Trusted Types allow one policy, `pushctl`, for the worker's address. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types pushctl',
].join('; ');

/** Sent with all files and the API reference, scripts too: a worker's policy is that of its script. */
export const WEB_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
} as const;

const COOKIE = 'language';
/** The language for other browsers. */
const FIRST = 'en';
const PAGE = /^\/index\.(\w+)\.html$/;

/** Tells whether this is a page's language file, not requested directly. */
function isPage(address: string): boolean {
  return PAGE.test(address);
}

function languagesIn(files: WebFiles): readonly string[] {
  const built = [...files.keys()].flatMap((address) => PAGE.exec(address)?.[1] ?? []);
  return built.sort((a, b) => Number(b === FIRST) - Number(a === FIRST));
}

/** Returns the user's chosen language, else the best that the browser accepts. */
function languageFor(context: Context, languages: readonly string[]): string {
  const chosen = context.cookies.get(COOKIE);
  if (chosen !== undefined && languages.includes(chosen)) return chosen;
  return context.acceptsLanguages([...languages]) || FIRST;
}

function pageIn(language: string): string {
  return `/index.${language}.html`;
}
