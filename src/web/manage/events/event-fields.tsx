import { Field } from '../../components/forms/field.tsx';
import { common } from '../../texts/common.ts';
import { texts } from '../../texts/send.ts';
import { useChannels } from '../use-channels.ts';

interface Props {
  readonly workspace: string;
  readonly errors: Readonly<Record<string, string>>;
}

/** The fields of an event that a person writes by hand; those that programs need are folded away. */
export function EventFields({ workspace, errors }: Props) {
  const channels = useChannels(workspace).filter(({ status }) => status === 'active');
  return (
    <>
      <Field label={texts.channel} error={errors.channel}>
        <select name="channel" required>
          {channels.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label={texts.headline} error={errors.title}>
        <input name="title" required maxLength={255} autocomplete="off" />
      </Field>
      <Field label={texts.text} error={errors.description}>
        <textarea name="description" rows={3} maxLength={1000} />
      </Field>
      <div class="field-pair">
        <Field label={texts.level} error={errors.level}>
          <select name="level">
            <Options of={Object.entries(common.levels)} />
          </select>
        </Field>
        <Field label={texts.urgency} error={errors.delivery_urgency}>
          <select name="delivery_urgency">
            <Options of={Object.entries(texts.urgencies)} />
          </select>
        </Field>
      </div>
      <details>
        <summary>{texts.more}</summary>
        <div class="form">
          <Field label={texts.url} hint={texts.urlHint} error={errors.url}>
            <input name="url" inputMode="url" maxLength={2048} autocomplete="off" />
          </Field>
          <Field label={texts.image} hint={texts.imageHint} error={errors.image_url}>
            <input name="image_url" type="url" maxLength={2048} autocomplete="off" />
          </Field>
          <Field label={texts.type} hint={texts.typeHint} error={errors.event_type}>
            <input name="event_type" maxLength={120} autocomplete="off" />
          </Field>
          <Field label={texts.collapse} hint={texts.collapseHint} error={errors.collapse_key}>
            <input name="collapse_key" maxLength={255} autocomplete="off" />
          </Field>
          <Field label={texts.expires} error={errors.expires_in}>
            <select name="expires_in">
              <Options of={texts.lives} />
            </select>
          </Field>
        </div>
      </details>
    </>
  );
}

function Options({ of }: { readonly of: readonly (readonly [value: string, text: string])[] }) {
  return (
    <>
      {of.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </>
  );
}
