import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Names the sources' lines in stack traces of built files. Node would do so itself with `--enable-source-maps`. But
 * then every process and thread of a test reads the maps of all modules as it loads them. That is a quarter of a
 * server's start, and only a failure needs it.
 */
export function withSourcePlaces(output: string): string {
  const maps = new Map<string, SourceMap | null>();
  return output.replace(
    /(file:\/\/\/[^\s:()]+\.js):(\d+):(\d+)/g,
    (built, url: string, line: string, column: string) => {
      const map = maps.get(url) ?? mapOf(url);
      maps.set(url, map);
      const found = map?.findOrigin(Number(line), Number(column));
      if (found === undefined || !('fileName' in found)) return built;
      return `${fileURLToPath(new URL(found.fileName, url))}:${found.lineNumber}:${found.columnNumber}`;
    },
  );
}

function mapOf(url: string): SourceMap | null {
  const path = fileURLToPath(`${url}.map`);
  return existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null;
}
