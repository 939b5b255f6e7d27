import './help-dialog.css';
import { Dialog } from '../components/dialogs/dialog.tsx';
import { common, help as texts } from '../texts/common.ts';

export default function HelpDialog({ close }: { readonly close: () => void }) {
  return (
    <Dialog title={texts.title} onClose={close}>
      <dl class="keys">
        {Object.entries(texts.keys).map(([key, does]) => (
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
    </Dialog>
  );
}
