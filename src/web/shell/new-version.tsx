import { changes } from '../api/changes.ts';
import { connection } from '../api/connection.ts';
import { isOutdated } from '../reload-after-upgrade.ts';
import { Shared, useShared } from '../shared.ts';
import { common } from '../texts/common.ts';

const HOUR_MS = 3_600_000;

/** Whether the server has another build of the app by now: a tab may stay open for weeks. */
const isOld = new Shared(false);

/** Looks after each gap in what the server reports, as a restart may have been an upgrade, and once an hour. */
export function watchForNewVersion(): void {
  const look = async (): Promise<void> => {
    if (!isOld.value && !document.hidden) isOld.value = await isOutdated();
  };
  connection.restored.listen(() => void look());
  changes.listen((kind) => void (kind === 'everything' && look()));
  setInterval(() => void look(), HOUR_MS);
}

/** Says so, and leaves it to the person when the page is loaded again: something may be half written in it. */
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
