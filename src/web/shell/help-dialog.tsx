import { useRef } from 'preact/hooks';
import { common } from '../texts/common.ts';
import { useKeys } from './use-keys.ts';

/** Which keys there are; `?` shows it. */
export function HelpDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({ '?': () => dialog.current?.showModal() });
  return (
    <dialog ref={dialog} aria-labelledby="help-title">
      <h2 id="help-title">{common.help.title}</h2>
      <dl class="keys">
        {Object.entries(common.help.keys).map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="dialog-actions">
        <button type="submit">{common.actions.close}</button>
      </form>
    </dialog>
  );
}
