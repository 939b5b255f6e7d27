import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { ProblemNote } from './components/problem-note.tsx';
import { reloadAfterUpgrade } from './reload-after-upgrade.ts';
import { common } from './texts/common.ts';

/** `preload`: resolves once the part can be shown. */
export type Part<Props> = ComponentType<Props> & { preload(): Promise<unknown> };

/** Loads a part when first shown. A message reports failures. */
export function part<Props>(load: () => Promise<{ readonly default: ComponentType<Props> }>): Part<Props> {
  return lazy<ComponentType<Props>>(() =>
    load().catch(async () => {
      await reloadAfterUpgrade();
      return Missing;
    }),
  );
}

/** Offers to reload: browsers and loader remember failed imports. */
function Missing() {
  return <ProblemNote problem={{ message: common.problems.part }} retry={() => location.reload()} />;
}
