import { Field } from '../components/forms/field.tsx';
import { names as texts } from '../texts/common.ts';

interface Props {
  /** The edited thing; null: new, with a slug. */
  readonly edited: { readonly name: string } | null;
  readonly slugHint: string;
  readonly errors: Readonly<Record<string, string>>;
}

/** Fields for a channel's or heartbeat's name and its slug for programs. */
export function NameFields({ edited, slugHint, errors }: Props) {
  return (
    <>
      {edited === null && (
        <Field label={texts.slug} hint={slugHint} error={errors.slug}>
          <input name="slug" required maxLength={120} autocomplete="off" autocapitalize="none" spellcheck={false} />
        </Field>
      )}
      <Field label={texts.name} hint={texts.nameHint} error={errors.name}>
        <input name="name" dir="auto" maxLength={255} autocomplete="off" defaultValue={edited?.name} />
      </Field>
    </>
  );
}
