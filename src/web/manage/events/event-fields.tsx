import type { Channel } from '../../api/channels.ts';
import { serverNow } from '../../clock.ts';
import { ChannelSelect, useChannelSearch } from '../../components/channel-search.tsx';
import { Field, SelectField } from '../../components/forms/fields.tsx';
import { wallTime, zoneHere } from '../../format/wall-clock.ts';
import { common } from '../../texts/common.ts';
import { send as texts } from '../../texts/senders.ts';
import type { Draft } from './draft.ts';

const FOLDED = ['url', 'image_url', 'event_type', 'collapse_key', 'expires_in', 'send_at'];

interface Props {
  readonly workspace: string;
  readonly draft: Draft;
}

/** An event's fields for people; those for programs are folded away. */
export function EventFields({ workspace, draft }: Props) {
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
