import type { NewDevice } from '../../src/store/calls.ts';
import { ADA } from './cast.ts';
import type { TemporaryStore } from './store.ts';
import { aDevice, tokenOf } from './workspace.ts';
import { linesOf, type World } from './world.ts';

/** The import that a test makes, for the owner of `acme`. */
export const HERE = { importId: 'one', workspace: 'acme', email: ADA };

export function many(count: number): NewDevice[] {
  return Array.from({ length: count }, (_, n) => aDevice({ token: tokenOf(n) }));
}

export function stage({ calls }: World, devices: readonly NewDevice[], first = 1) {
  return calls.stageImport({ ...HERE, lines: linesOf(devices, first) });
}

export function commit({ calls }: World) {
  return calls.commitImport(HERE);
}

export async function prune({ calls }: TemporaryStore, wallMs: number): Promise<void> {
  while (!(await calls.pruneStep({ wallMs, passedMs: 86_400_000 })).done);
}
