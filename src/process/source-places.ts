import { existsSync, readFileSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const BUILT_PLACE = /(file:\/\/\/[^\s:()]+\.js):(\d+):(\d+)/g;
/** The maps of files that were in a stack trace. */
const maps = new Map<string, SourceMap | null>();

/** Replaces places in built files by those of the sources. */
export function withSourcePlaces(text: string): string {
  return text.replace(BUILT_PLACE, (built, url: string, line: string, column: string) => {
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const found = maps.get(url)?.findOrigin(Number(line), Number(column));
    if (found === undefined || !('fileName' in found)) return built;
    return `${fileURLToPath(new URL(found.fileName, url))}:${found.lineNumber}:${found.columnNumber}`;
  });
}

/** Returns null without a map that belongs to the running file: an upgrade replaces both. */
function mapOf(url: string): SourceMap | null {
  try {
    const path = fileURLToPath(`${url}.map`);
    if (!existsSync(path) || statSync(path).ctimeMs > performance.timeOrigin) return null;
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * Names the sources' lines in this thread's stack traces. Node would do so itself with `--enable-source-maps`. But then
 * each thread reads the maps of all modules as it loads them, and keeps them: a tenth of a server's start, and 9 MB.
 */
const heading: (error: Error, frames: []) => string = Error.prepareStackTrace ?? String;
Error.prepareStackTrace = (error, frames) =>
  [heading(error, []), ...frames.map((frame) => withSourcePlaces(`    at ${frame}`))].join('\n');
