import { useState } from 'preact/hooks';
import type { Schema } from '../../api/client.ts';
import { change } from '../../api/identity.ts';
import { useChange } from '../../api/use-change.ts';
import { ChannelSelect } from '../../components/channels/channel-select.tsx';
import { useChannelSearch } from '../../components/channels/use-channel-search.ts';
import { Field } from '../../components/forms/field.tsx';
import { dataOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { given } from '../../components/forms/given.ts';
import { Options } from '../../components/forms/options.tsx';
import { MakeChannel } from '../../components/make-channel.tsx';
import { timeZone } from '../../format/locale.ts';
import { texts } from '../../texts/heartbeats.ts';
import { texts as channelTexts } from '../../texts/workspace-channels.ts';

interface Props {
  readonly workspace: string;
  readonly onDone: (heartbeat: Schema<'Heartbeat'>) => void;
  readonly onClose: () => void;
}

/** A new heartbeat: what it is called, where it alerts, and how often its job reports. */
export function HeartbeatForm({ workspace, onDone, onClose }: Props) {
  const channels = useChannelSearch([workspace]);
  const { problem, isWorking, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    const body = heartbeatOf(dataOf(event), zone());
    const done = await make(() =>
      change('post', '/v1/workspaces/{workspace}/heartbeats', { path: { workspace }, body }),
    );
    if (done !== null) onDone(done.data.heartbeat);
  };
  const wrong = problem?.fields ?? {};
  return (
    <FormDialog title={texts.addTitle} label={texts.add} onSubmit={submit} {...{ problem, isWorking, onClose }}>
      <Field label={channelTexts.slug} hint={texts.slugHint} error={wrong.slug}>
        <input name="slug" required maxLength={120} autocomplete="off" autocapitalize="none" spellcheck={false} />
      </Field>
      <Field label={channelTexts.name} hint={channelTexts.nameHint} error={wrong.name}>
        <input name="name" dir="auto" maxLength={255} autocomplete="off" />
      </Field>
      <Field label={texts.channel} hint={texts.channelHint} error={wrong.channel}>
        <ChannelSelect of={channels} />
      </Field>
      {channels.data?.every((of) => of.channels.length === 0) && channels.q === '' && <MakeChannel />}
      <Schedule errors={wrong} />
    </FormDialog>
  );
}

/** The heartbeat that the fields of the form describe. `timezone`: that of what is given as `cron`. */
function heartbeatOf(form: FormData, timezone: string) {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const every = text('every');
  return {
    slug: text('slug'),
    channel: text('channel'),
    ...given('name', text('name')),
    ...(every === '' ? { cron: text('cron'), timezone } : { every: Number(every) }),
    grace: Number(text('grace')),
  };
}

/** In which a person here reads a clock. */
function zone(): string {
  return timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** How often, or at which times of the clock on the wall. */
function Schedule({ errors }: { readonly errors: Readonly<Record<string, string>> }) {
  const [every, setEvery] = useState('86400');
  return (
    <>
      <Field label={texts.every} error={errors.every}>
        <select name="every" onChange={({ currentTarget }) => setEvery(currentTarget.value)}>
          <Options of={texts.periods} chosen={every} />
        </select>
      </Field>
      {every === '' && (
        <Field label={texts.cron} hint={texts.cronHint(zone())} error={errors.cron ?? errors.timezone}>
          <input name="cron" class="mono" required maxLength={100} placeholder="0 3 * * *" autocomplete="off" />
        </Field>
      )}
      <Field label={texts.grace} hint={texts.graceHint} error={errors.grace}>
        <select name="grace">
          <Options of={texts.graces} chosen="3600" />
        </select>
      </Field>
    </>
  );
}
