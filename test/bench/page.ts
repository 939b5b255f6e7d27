/** The page with the tables that `npm run bench -- --save` writes. */
export const PAGE = 'docs/benchmarks.md';

const PLACE = /(<!-- bench (\S+) -->\n).*?(<!-- end -->)/gs;

/** Returns the parts whose tables have a place in the page. */
export function placesOf(page: string): readonly string[] {
  return [...page.matchAll(PLACE)].map(([, , part = '']) => part);
}

/** Returns the page with these tables, by part, at their places. Other tables stay. */
export function withTables(page: string, tables: ReadonlyMap<string, string>): string {
  return page.replaceAll(PLACE, (place, start: string, part: string, end: string) => {
    const table = tables.get(part);
    return table === undefined ? place : `${start}${table}\n\n${end}`;
  });
}
