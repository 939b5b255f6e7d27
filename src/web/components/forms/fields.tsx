import './forms.css';
import { cloneElement, type VNode } from 'preact';
import { useId } from 'preact/hooks';
import { zoneHere } from '../../format/wall-clock.ts';
import { names as texts } from '../../texts/common.ts';

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly children: VNode<object>;
}

export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {cloneElement(children, { id, 'aria-describedby': described, 'aria-invalid': error ? 'true' : undefined })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface ChecksProps<T extends string> {
  readonly label: string;
  /** The boxes' `name` in the form. */
  readonly name: string;
  readonly options: readonly T[];
  readonly textOf: Readonly<Record<T, string>>;
  readonly isChosen: (option: T) => boolean;
  readonly error: string | undefined;
}

/** Boxes, at least one to be ticked. */
export function Checks<T extends string>({ label, name, options, textOf, isChosen, error }: ChecksProps<T>) {
  return (
    <fieldset class="checks">
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option}>
          <input type="checkbox" name={name} value={option} defaultChecked={isChosen(option)} />
          {textOf[option]}
        </label>
      ))}
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}

/** Texts by value, in pairs, since objects would sort numbers. */
export type OptionTexts = Readonly<Record<string, string>> | readonly (readonly [value: string, text: string])[];

interface OptionsProps {
  readonly of: OptionTexts;
  /** The chosen value; absent: the select's, or the first. */
  readonly chosen?: string;
}

export function Options({ of, chosen }: OptionsProps) {
  const pairs = Array.isArray(of) ? of : Object.entries(of);
  return (
    <>
      {pairs.map(([value, text]) => (
        <option key={value} value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </>
  );
}

/** The time zones of a select, by name. Without `chosen`, the zone of the shown times. */
export function TimeZones({ chosen = zoneHere }: { readonly chosen?: string | undefined }) {
  const zones = [...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort();
  return <Options of={zones.map((zone) => [zone, zone.replaceAll('_', ' ')])} chosen={chosen} />;
}

interface NameFieldsProps {
  /** The edited thing; null: new, with a slug. */
  readonly edited: { readonly name: string } | null;
  readonly slugHint: string;
  readonly errors: Readonly<Record<string, string>>;
}

/** Fields for a channel's or heartbeat's name and its slug for programs. */
export function NameFields({ edited, slugHint, errors }: NameFieldsProps) {
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
