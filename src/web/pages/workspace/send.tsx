import { useState } from 'preact/hooks';
import { change } from '../../api/ask.ts';
import type { Channel } from '../../api/channels.ts';
import { useChange } from '../../api/use-change.ts';
import { serverNow } from '../../clock.ts';
import { ChannelSelect, useChannelSearch } from '../../components/channel-search.tsx';
import { Field, FieldErrors, SelectField } from '../../components/forms/fields.tsx';
import { dataOf } from '../../components/forms/form.ts';
import { FormProblem } from '../../components/forms/form-dialog.tsx';
import { Page } from '../../components/page.tsx';
import { msOf, times } from '../../format/time.ts';
import { wallTime, zoneHere } from '../../format/wall-clock.ts';
import { type Draft, draftOf } from '../../manage/events/draft.ts';
import { type ManagedProps, managed } from '../../manage/managed.tsx';
import { postedEventOf } from '../../manage/terms.ts';
import { usePerson } from '../../session.ts';
import { common } from '../../texts/common.ts';
import { send as texts } from '../../texts/senders.ts';

const ADDRESS = '/v1/workspaces/{workspace}/events';

/** A checked event. `key`: the idempotency key, for resending after a lost answer. */
interface Checked {
  readonly devices: number;
  /** A scheduled event's time; undefined: now. */
  readonly at: string | undefined;
  readonly key: string;
}
interface Sent {
  readonly publicId: string;
  readonly devices: number;
  readonly at: string | undefined;
}

/** Checks an event, counting devices, then sends or schedules it. */
function Send({ workspace: { slug } }: ManagedProps) {
  const { problem, isWorking, make } = useChange();
  const [checked, setChecked] = useState<Checked | null>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  // Replaces a sent form by an empty one.
  const [round, setRound] = useState(0);
  const draft = draftOf(usePerson()?.user.email ?? '', slug);
  const path = { workspace: slug };
  const check = async (event: SubmitEvent): Promise<void> => {
    const body = { ...postedEventOf(dataOf(event)), validate_only: true };
    const made = await make(() => change('post', ADDRESS, { path, body }));
    if (made && 'valid' in made.data) {
      setChecked({ devices: made.data.target_device_count, at: body.send_at, key: crypto.randomUUID() });
    }
  };
  const send = async (event: SubmitEvent, { key }: Checked): Promise<void> => {
    const body = { ...postedEventOf(dataOf(event)), idempotency_key: key };
    const made = await make(() => change('post', ADDRESS, { path, body }));
    if (!made || !('event' in made.data)) return;
    const { public_id: publicId, target_device_count: devices } = made.data.event;
    setSent({ publicId, devices, at: body.send_at });
    setChecked(null);
    draft.discard();
    setRound(round + 1);
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setSent(null);
    void (checked === null ? check(event) : send(event, checked));
  };
  return (
    <Page title={texts.title}>
      <p class="about">{texts.about}</p>
      <form
        key={round}
        class="paper form send"
        onInput={({ currentTarget }) => {
          setChecked(null);
          draft.keep(currentTarget);
        }}
        onSubmit={submit}
      >
        <FieldErrors.Provider value={problem?.fields ?? {}}>
          <EventFields workspace={slug} draft={draft} />
        </FieldErrors.Provider>
        <FormProblem problem={problem} />
        <div role="status">{checked !== null && <p class="note">{checkedWords(checked)}</p>}</div>
        <div class="actions">
          <button type="submit" class="primary" aria-disabled={isWorking}>
            {checked === null ? texts.check : checked.at === undefined ? texts.send(checked.devices) : texts.schedule}
          </button>
        </div>
      </form>
      <div role="status">
        {sent !== null && (
          <p class="note note-done">
            {sent.at === undefined ? texts.sent(sent.devices) : texts.scheduled(timeOf(sent.at))}
            <a class="link" href={`/w/${slug}/events/${sent.publicId}`}>
              {sent.at === undefined ? texts.see : texts.seeScheduled}
            </a>
          </p>
        )}
      </div>
    </Page>
  );
}

function checkedWords({ devices, at }: Checked): string {
  return at === undefined ? texts.goesTo(devices) : texts.waitsFor(timeOf(at), devices);
}

function timeOf(at: string): string {
  return times.exact(msOf(at));
}

export default managed(Send);

const FOLDED = ['url', 'image_url', 'event_type', 'collapse_key', 'expires_in', 'send_at'];

interface Props {
  readonly workspace: string;
  readonly draft: Draft;
}

/** An event's fields for people; those for programs are folded away. */
function EventFields({ workspace, draft }: Props) {
  const before = draft.field('channel');
  const field = (name: string) => ({ name, defaultValue: draft.field(name) });
  const search = useChannelSearch([workspace], { chosen: before });
  const hasNone = search.data?.every(({ channels }) => !channels.some(isActive)) && !search.hasMore && search.q === '';
  return (
    <>
      <Field label={texts.channel} field="channel">
        <ChannelSelect of={search} isOffered={isActive} chosen={before} />
      </Field>
      {hasNone && (
        <p class="hint">
          {texts.noChannel}{' '}
          <a class="link" href={`/w/${workspace}/channels`}>
            {texts.makeChannel}
          </a>
        </p>
      )}
      <Field label={texts.headline} field="title">
        <input {...field('title')} dir="auto" required maxLength={255} autocomplete="off" />
      </Field>
      <Field label={texts.text} field="description">
        <textarea {...field('description')} dir="auto" rows={3} maxLength={1000} />
      </Field>
      <div class="field-pair">
        <SelectField name="level" label={texts.level} of={common.levels} chosen={draft.field('level')} />
        <SelectField
          name="delivery_urgency"
          label={texts.urgency}
          of={texts.urgencies}
          chosen={draft.field('delivery_urgency')}
        />
      </div>
      <details open={FOLDED.some((name) => draft.field(name) !== '')}>
        <summary>{texts.more}</summary>
        <div class="form">
          <Field label={texts.url} hint={texts.urlHint} field="url">
            <input {...field('url')} inputMode="url" maxLength={2048} autocomplete="off" />
          </Field>
          <Field label={texts.image} hint={texts.imageHint} field="image_url">
            <input {...field('image_url')} type="url" maxLength={2048} autocomplete="off" />
          </Field>
          <Field label={texts.type} hint={texts.typeHint} field="event_type">
            <input {...field('event_type')} maxLength={120} autocomplete="off" />
          </Field>
          <Field label={texts.collapse} hint={texts.collapseHint} field="collapse_key">
            <input {...field('collapse_key')} maxLength={255} autocomplete="off" />
          </Field>
          <SelectField name="expires_in" label={texts.expires} of={texts.lives} chosen={draft.field('expires_in')} />
          <Field label={texts.sendAt} hint={texts.sendAtHint(zoneHere)} field="send_at">
            <input {...field('send_at')} type="datetime-local" min={wallTime(new Date(serverNow()), zoneHere)} />
          </Field>
        </div>
      </details>
    </>
  );
}

/** Other channels take no events. */
function isActive({ status }: Channel): boolean {
  return status === 'active';
}
