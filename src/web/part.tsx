import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { ProblemNote } from './components/problem-note.tsx';
import { reloadAfterUpgrade } from './reload-after-upgrade.ts';
import { common } from './texts/common.ts';

/** `preload`: from then on it is shown at once. */
export type Part<Props> = ComponentType<Props> & { preload(): Promise<unknown> };

/** A part of the app that is loaded when it is first shown. Where it cannot be had, it says so. */
export function part<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>): Part<Props> {
  return lazy<ComponentType<Props>>(() =>
    load().catch(async () => {
      await reloadAfterUpgrade();
      return Missing;
    }),
  );
}

/** Only a page that is reloaded asks for a part again: browsers and the loader remember what has failed. */
function Missing() {
  return <ProblemNote problem={{ message: common.problems.part }} retry={() => location.reload()} />;
}
