import type { Schema } from '../../api/client.ts';
import { Command } from '../../components/command.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { texts } from '../../texts/keys.ts';

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

/** What a new key can do at once, as a command to paste into a shell. */
function readyCommand(origin: string, key: string, may: { readonly post: boolean; readonly channel: string }): string {
  const bearer = `-H 'Authorization: Bearer ${key}'`;
  if (!may.post) return `curl ${origin}/api/v1/channels \\\n  ${bearer}`;
  // A slug has no character that a shell or JSON would read otherwise.
  return `curl ${origin}/api/v1/events \\
  ${bearer} \\
  -H 'Content-Type: application/json' \\
  -d '{"channel": "${may.channel}", "title": "It works"}'`;
}
