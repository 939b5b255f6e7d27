import { readFileSync } from 'node:fs';

export const ENGINE_NAMES = ['sqlite', 'postgres'] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

/** The variable by which the runner passes a file over which of them to try what must hold over each. */
export const ENGINES = 'TEST_ENGINES';

/** Without a runner: all. */
export function chosenEngines(): readonly EngineName[] {
  const { [ENGINES]: chosen } = process.env;
  return chosen === undefined ? ENGINE_NAMES : ENGINE_NAMES.filter((name) => chosen.split(' ').includes(name));
}

/** Returns whether the built test file at this path tries its tests over each engine (`conformance` of engines.ts). */
export function triesEachEngine(path: string): boolean {
  return /\bconformance\(/.test(readFileSync(path, 'utf8'));
}
