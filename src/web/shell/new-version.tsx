import { changes } from '../api/changes.ts';
import { connection } from '../api/connection.ts';
import { isOutdated } from '../reload-after-upgrade.ts';
import { Shared, useShared } from '../shared.ts';
import { common } from '../texts/common.ts';

const HOUR_MS = 3_600_000;

/** Whether the server's build changed: tabs stay open for weeks. */
const isOld = new Shared(false);

/** Looks for another build hourly and after each gap in live updates, possibly an upgrade. */
export function watchForNewVersion(): void {
  const look = async (): Promise<void> => {
    if (!isOld.value && !document.hidden) isOld.value = await isOutdated();
  };
  connection.restored.listen(() => void look());
  changes.listen((kind) => void (kind === 'everything' && look()));
  setInterval(() => void look(), HOUR_MS);
}

/** Offers to reload: a form may be half filled in. */
export function NewVersion() {
  const isShown = useShared(isOld);
  return (
    <div role="status">
      {isShown && (
        <p class="banner">
          {common.newVersion}{' '}
          <button type="button" onClick={() => location.reload()}>
            {common.actions.reload}
          </button>
        </p>
      )}
    </div>
  );
}
