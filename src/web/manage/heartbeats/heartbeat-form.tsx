import { useContext, useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Schema } from '../../api/client.ts';
import { ChannelSelect, useChannelSearch } from '../../components/channel-search.tsx';
import { Field, FieldErrors, NameFields, SelectField } from '../../components/forms/fields.tsx';
import { given, textOf } from '../../components/forms/form.ts';
import { FormDialog } from '../../components/forms/form-dialog.tsx';
import { MakeChannel } from '../../components/make-channel.tsx';
import { duration } from '../../format/durations.ts';
import { zoneHere } from '../../format/wall-clock.ts';
import { heartbeats as texts } from '../../texts/senders.ts';

type Heartbeat = Schema<'Heartbeat'>;

interface Props {
  readonly workspace: string;
  /** The heartbeat; null: a new one. */
  readonly heartbeat: Heartbeat | null;
  readonly onDone: (heartbeat: Heartbeat) => void;
  readonly onClose: () => void;
}

/** Edits a heartbeat's name, alert channel and schedule; slug and address stay. */
export function HeartbeatForm({ workspace, heartbeat, onDone, onClose }: Props) {
  const channels = useChannelSearch([workspace], { chosen: heartbeat?.channel });
  const timezone = heartbeat?.timezone ?? zoneHere;
  const send = (form: FormData) => {
    const body = heartbeatOf(form, timezone);
    const name = textOf(form, 'name');
    return heartbeat === null
      ? change('post', '/v1/workspaces/{workspace}/heartbeats', {
          path: { workspace },
          body: { slug: textOf(form, 'slug'), ...given('name', name), ...body },
        })
      : change('patch', '/v1/workspaces/{workspace}/heartbeats/{heartbeat}', {
          path: { workspace, heartbeat: heartbeat.slug },
          body: { name: name || heartbeat.slug, ...body },
        });
  };
  return (
    <FormDialog
      title={heartbeat === null ? texts.addTitle : texts.editTitle(heartbeat.name)}
      label={heartbeat === null ? texts.add : texts.save}
      onDone={({ heartbeat }) => onDone(heartbeat)}
      {...{ send, onClose }}
    >
      <NameFields edited={heartbeat} slugHint={texts.slugHint} />
      <Field label={texts.channel} hint={texts.channelHint} field="channel">
        <ChannelSelect of={channels} chosen={heartbeat?.channel} />
      </Field>
      {channels.data?.every((of) => of.channels.length === 0) && channels.q === '' && <MakeChannel />}
      <Schedule heartbeat={heartbeat} timezone={timezone} />
    </FormDialog>
  );
}

/** Failures in a row. */
const FAILURES = Array.from({ length: 10 }, (_, nth) => [String(nth + 1), String(nth + 1)] as const);

interface ScheduleProps {
  readonly heartbeat: Heartbeat | null;
  readonly timezone: string;
}

/** Asks for the job's interval or wall-clock times. */
function Schedule({ heartbeat, timezone }: ScheduleProps) {
  const errors = useContext(FieldErrors);
  const [every, setEvery] = useState(heartbeat === null ? '86400' : String(heartbeat.every ?? ''));
  const grace = String(heartbeat?.grace ?? 3_600);
  return (
    <>
      <SelectField
        name="every"
        label={texts.every}
        of={withCurrent(texts.periods, String(heartbeat?.every ?? ''), texts.period)}
        chosen={every}
        onChoose={setEvery}
      />
      {every === '' && (
        <Field label={texts.cron} hint={texts.cronHint(timezone)} error={errors.cron ?? errors.timezone}>
          <input
            name="cron"
            class="mono"
            required
            maxLength={100}
            placeholder="0 3 * * *"
            autocomplete="off"
            defaultValue={heartbeat?.cron ?? ''}
          />
        </Field>
      )}
      <SelectField
        name="grace"
        label={texts.grace}
        hint={texts.graceHint}
        of={withCurrent(texts.graces, grace, (time) => time)}
        chosen={grace}
      />
      <SelectField
        name="failures"
        label={texts.failures}
        hint={texts.failuresHint}
        of={FAILURES}
        chosen={String(heartbeat?.failures ?? 1)}
      />
    </>
  );
}

/** Returns the form's channel and schedule. `timezone`: for `cron`. */
function heartbeatOf(form: FormData, timezone: string) {
  const text = (name: string): string => textOf(form, name);
  const every = text('every');
  return {
    channel: text('channel'),
    ...(every === '' ? { cron: text('cron'), timezone } : { every: Number(every) }),
    grace: Number(text('grace')),
    failures: Number(text('failures')),
  };
}

/** Returns choices in seconds, including the current: the command line allows any. */
function withCurrent(
  choices: readonly (readonly [seconds: string, text: string])[],
  current: string,
  textOf: (time: string) => string,
): readonly (readonly [seconds: string, text: string])[] {
  if (choices.some(([seconds]) => seconds === current)) return choices;
  return [[current, textOf(duration(Number(current)))], ...choices];
}
