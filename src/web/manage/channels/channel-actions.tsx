import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import type { Problem } from '../../api/problem.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialogs/dialog.tsx';
import { NameFields } from '../../components/forms/fields.tsx';
import { given, textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import type { Done } from '../../components/toast.tsx';
import {
  quietHours as quiet,
  quietHours as quietTexts,
  reminders,
  reminders as reminderTexts,
  channels as texts,
} from '../../texts/channels.ts';
import { QuietForm } from './quiet-hours.tsx';
import { ReminderForm } from './reminder-form.tsx';

type Channel = Schema<'Channel'>;
export type ChannelAction = 'rename' | 'reminders' | 'quiet' | 'switch' | 'remove';

interface Props {
  readonly channel: Channel;
  readonly onAsk: (what: ChannelAction) => void;
  readonly isSwitching: boolean;
}

/** A channel's buttons for owners and admins, in row and page. */
export function ChannelActions({ channel: { name, status }, onAsk, isSwitching }: Props) {
  const isActive = status === 'active';
  return (
    <>
      <Button text={texts.rename} named={texts.renameNamed(name)} onClick={() => onAsk('rename')} />
      <Button text={reminders.open} named={reminders.openNamed(name)} onClick={() => onAsk('reminders')} />
      <Button text={quiet.open} named={quiet.openNamed(name)} onClick={() => onAsk('quiet')} />
      <Button
        text={isActive ? texts.deactivate : texts.activate}
        named={isActive ? texts.deactivateNamed(name) : texts.activateNamed(name)}
        isWorking={isSwitching}
        onClick={() => onAsk('switch')}
      />
      <Button text={texts.remove} class="danger" named={texts.removeNamed(name)} onClick={() => onAsk('remove')} />
    </>
  );
}

interface Actions {
  /** Opens an action's dialog, or switches the channel. */
  readonly ask: (what: ChannelAction, channel: Channel) => void;
  readonly isSwitching: boolean;
  /** A switch's problem: dialogs show their own. */
  readonly problem: Problem | null;
  readonly dialog: VNode | null;
}

/** Does the actions of `ChannelActions`. `say`: shows the result, and reloads. */
export function useChannelActions(workspace: string, say: (done: Done | null) => void): Actions {
  const [open, setOpen] = useState<{ readonly what: ChannelAction; readonly channel: Channel } | null>(null);
  const switching = useChange();
  const close = (): void => setOpen(null);
  const finish = (done: Done | null): void => {
    close();
    say(done);
  };
  const switchTo = async ({ slug, name }: Channel, status: Channel['status']): Promise<void> => {
    const input = { path: { workspace, channel: slug }, body: { status } };
    const made = await switching.make(() => change('patch', '/v1/workspaces/{workspace}/channels/{channel}', input));
    if (made === null) return;
    say(
      status === 'active'
        ? { text: texts.isActive(name) }
        : { text: texts.isInactive(name), undo: () => switchTo(made.data.channel, 'active') },
    );
  };
  return {
    ask: (what, channel) => {
      if (what === 'switch') void switchTo(channel, channel.status === 'active' ? 'inactive' : 'active');
      else setOpen({ what, channel });
    },
    isSwitching: switching.isWorking,
    problem: switching.problem,
    dialog: open && dialogOf(open.what, { workspace, channel: open.channel, finish, close }),
  };
}

interface DialogOf {
  readonly workspace: string;
  readonly channel: Channel;
  readonly finish: (done: Done | null) => void;
  readonly close: () => void;
}

function dialogOf(what: ChannelAction, { workspace, channel, finish, close }: DialogOf): VNode {
  const common = { workspace, channel, onClose: close };
  if (what === 'rename') return <ChannelForm {...common} onDone={() => finish(null)} />;
  if (what === 'reminders') {
    const text = ({ name, insist }: Channel) => reminderTexts[insist === null ? 'wereEnded' : 'wereSet'](name);
    return <ReminderForm {...common} onDone={(changed) => finish({ text: text(changed) })} />;
  }
  if (what === 'quiet') {
    const text = ({ name, quiet }: Channel) => quietTexts[quiet === null ? 'wereEnded' : 'wereSet'](name);
    return <QuietForm {...common} onDone={(changed) => finish({ text: text(changed) })} />;
  }
  const path = { workspace, channel: channel.slug };
  return (
    <ConfirmDialog
      title={texts.removeTitle(channel.name)}
      action={texts.remove}
      call={() => change('delete', '/v1/workspaces/{workspace}/channels/{channel}', { path })}
      onDone={() => finish({ text: texts.wasRemoved(channel.name) })}
      onClose={close}
    >
      <p>{texts.removeText(channel.device_count)}</p>
    </ConfirmDialog>
  );
}

interface ChannelFormProps {
  readonly workspace: string;
  /** The channel; null: a new one. */
  readonly channel: Channel | null;
  readonly onDone: (channel: Channel) => void;
  readonly onClose: () => void;
}

/** Makes or renames a channel. Programs use the slug, which stays. */
export function ChannelForm({ workspace, channel, onDone, onClose }: ChannelFormProps) {
  const send = (form: FormData) => {
    const name = given('name', textOf(form, 'name'));
    return channel === null
      ? change('post', '/v1/workspaces/{workspace}/channels', {
          path: { workspace },
          body: { slug: textOf(form, 'slug'), ...name },
        })
      : change('patch', '/v1/workspaces/{workspace}/channels/{channel}', {
          path: { workspace, channel: channel.slug },
          body: { name: channel.slug, ...name },
        });
  };
  return (
    <FormDialog
      title={channel === null ? texts.createTitle : texts.renameTitle(channel.name)}
      label={channel === null ? texts.create : texts.rename}
      onDone={({ channel }) => onDone(channel)}
      {...{ send, onClose }}
    >
      <NameFields edited={channel} slugHint={texts.slugHint} />
    </FormDialog>
  );
}
