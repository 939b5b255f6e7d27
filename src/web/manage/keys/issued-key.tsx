import type { Schema } from '../../api/client.ts';
import { Command } from '../../components/command.tsx';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { keys as texts } from '../../texts/senders.ts';

interface Props {
  readonly issued: Schema<'IssuedKey'>;
  /** A channel for trying an unbound key. */
  readonly channel: string | undefined;
  readonly onSaved: () => void;
}

/** Shows a key, once. Only confirming that it is saved closes the dialog. */
export function IssuedKey({ issued, channel, onSaved }: Props) {
  const { key, api_key } = issued;
  return (
    <Dialog title={texts.shownTitle} onClose={onSaved} mustAnswer wide done={texts.saved}>
      <p class="dialog-text">{texts.shownText}</p>
      <h3 class="dialog-group">{texts.copyKey}</h3>
      <Command text={key} />
      <h3 class="dialog-group">{api_key.scopes.includes('heartbeats:ping') ? texts.pingIt : texts.tryIt}</h3>
      <Command text={readyCommand(issued, api_key.channels?.[0] ?? channel ?? 'alerts')} />
    </Dialog>
  );
}

/** Returns a shell command that uses a new key at once. */
function readyCommand({ key, api_key }: Schema<'IssuedKey'>, channel: string): string {
  const bearer = `-H 'Authorization: Bearer ${key}'`;
  if (api_key.scopes.includes('heartbeats:ping')) {
    return `curl -fsS -m 10 --retry 5 '${location.origin}/ping/${key}/backup?create=1'`;
  }
  if (!api_key.scopes.includes('events:write')) return `curl ${location.origin}/api/v1/channels \\\n  ${bearer}`;
  // Slugs have no special characters for shells or JSON.
  return `curl ${location.origin}/api/v1/events \\
  ${bearer} \\
  -H 'Content-Type: application/json' \\
  -d '{"channel": "${channel}", "title": "It works"}'`;
}
