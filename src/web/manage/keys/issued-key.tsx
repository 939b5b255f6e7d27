import type { Schema } from '../../api/client.ts';
import { Command } from '../../components/command.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { texts } from '../../texts/keys.ts';
import { readyCommand } from './curl.ts';

interface Props {
  readonly issued: Schema<'IssuedKey'>;
  /** One to try it with, where the key is bound to none. */
  readonly channel: string | undefined;
  readonly onSaved: () => void;
}

/** A key, shown this once: only the button that says that it is saved takes it away. */
export function IssuedKey({ issued: { key, api_key }, channel, onSaved }: Props) {
  const may = {
    post: api_key.scopes.includes('events:write'),
    channel: api_key.channels?.[0] ?? channel ?? 'alerts',
  };
  return (
    <Dialog title={texts.shownTitle} onClose={onSaved} mustAnswer wide>
      <p class="dialog-text">{texts.shownText}</p>
      <h3 class="dialog-group">{texts.copyKey}</h3>
      <Command text={key} />
      <h3 class="dialog-group">{texts.tryIt}</h3>
      <Command text={readyCommand(location.origin, key, may)} />
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={onSaved}>
          {texts.saved}
        </button>
      </div>
    </Dialog>
  );
}
