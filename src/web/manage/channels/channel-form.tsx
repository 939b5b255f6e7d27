import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { useChange } from '../../api/use-change.ts';
import { NameFields } from '../../components/forms/fields.tsx';
import { given, textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { channels as texts } from '../../texts/channels.ts';

type Channel = Schema<'Channel'>;

interface Props {
  readonly workspace: string;
  /** The channel; null: a new one. */
  readonly channel: Channel | null;
  readonly onDone: (channel: Channel) => void;
  readonly onClose: () => void;
}

/** Makes or renames a channel. Programs use the slug, which stays. */
export function ChannelForm({ workspace, channel, onDone, onClose }: Props) {
  const { problem, isWorking, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    const name = given('name', textOf(event, 'name'));
    const done = await make(() =>
      channel === null
        ? change('post', '/v1/workspaces/{workspace}/channels', {
            path: { workspace },
            body: { slug: textOf(event, 'slug'), ...name },
          })
        : change('patch', '/v1/workspaces/{workspace}/channels/{channel}', {
            path: { workspace, channel: channel.slug },
            body: { name: channel.slug, ...name },
          }),
    );
    if (done !== null) onDone(done.data.channel);
  };
  return (
    <FormDialog
      title={channel === null ? texts.createTitle : texts.renameTitle(channel.name)}
      label={channel === null ? texts.create : texts.rename}
      onSubmit={submit}
      {...{ problem, isWorking, onClose }}
    >
      <NameFields edited={channel} slugHint={texts.slugHint} errors={problem?.fields ?? {}} />
    </FormDialog>
  );
}
