import './forms.css';
import { cloneElement, createContext, type VNode } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { zoneHere } from '../../format/wall-clock.ts';
import { names as texts } from '../../texts/common.ts';

/** The server's errors for the form around, by field. */
export const FieldErrors = createContext<Readonly<Record<string, string>>>({});

interface Props {
  readonly label: string;
  readonly hint?: string | undefined;
  /** The API's name of the field, whose error is shown. */
  readonly field?: string;
  /** Another error to show. */
  readonly error?: string | undefined;
  readonly children: VNode<object>;
}

export function Field({ label, hint, field, error: ownError, children }: Props) {
  const id = useId();
  const error = useError(field, ownError);
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

function useError(field: string | undefined, ownError: string | undefined): string | undefined {
  const errors = useContext(FieldErrors);
  return ownError ?? (field === undefined ? undefined : errors[field]);
}

/** Shows the error of a group of fields. */
export function GroupError({ field, error: ownError }: Pick<Props, 'field' | 'error'>) {
  const error = useError(field, ownError);
  if (!error) return null;
  return (
    <p class="field-error" role="alert">
      {error}
    </p>
  );
}

interface ChecksProps<T extends string> extends Pick<Props, 'field' | 'error'> {
  readonly label: string;
  /** The boxes' `name` in the form. */
  readonly name: string;
  readonly options: readonly T[];
  readonly textOf: Readonly<Record<T, string>>;
  readonly isChosen: (option: T) => boolean;
}

/** Boxes, at least one to be ticked. */
export function Checks<T extends string>({ label, name, options, textOf, isChosen, ...error }: ChecksProps<T>) {
  return (
    <fieldset class="checks">
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option}>
          <input type="checkbox" name={name} value={option} defaultChecked={isChosen(option)} />
          {textOf[option]}
        </label>
      ))}
      <GroupError {...error} />
    </fieldset>
  );
}

/** Texts by value, in pairs, since objects would sort numbers. */
export type OptionTexts = Readonly<Record<string, string>> | readonly (readonly [value: string, text: string])[];

interface OptionsProps {
  readonly of: OptionTexts;
  /** The chosen value; absent: the select's, or the first. */
  readonly chosen?: string | undefined;
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

interface SelectFieldProps extends Omit<Props, 'children'> {
  /** The `name` in the form; also the API's, without `field`. */
  readonly name?: string;
  readonly of: OptionTexts;
  readonly chosen?: string | undefined;
  readonly onChoose?: (value: string) => void;
}

export function SelectField({ name, of, chosen, onChoose, ...props }: SelectFieldProps) {
  return (
    <Field {...(name !== undefined && { field: name })} {...props}>
      <select name={name} onChange={({ currentTarget }) => onChoose?.(currentTarget.value)}>
        <Options of={of} chosen={chosen} />
      </select>
    </Field>
  );
}

/** A field for a time zone by name. Without `chosen`, the zone of the shown times. */
export function TimeZoneField({ chosen = zoneHere, ...props }: Pick<SelectFieldProps, 'label' | 'field' | 'chosen'>) {
  const zones = [...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])].sort();
  const named = zones.map((zone) => [zone, zone.replaceAll('_', ' ')] as const);
  return <SelectField name="timezone" of={named} chosen={chosen} {...props} />;
}

interface NameFieldsProps {
  /** The edited thing; null: new, with a slug. */
  readonly edited: { readonly name: string } | null;
  readonly slugHint: string;
}

/** Fields for a channel's or heartbeat's name and its slug for programs. */
export function NameFields({ edited, slugHint }: NameFieldsProps) {
  return (
    <>
      {edited === null && (
        <Field label={texts.slug} hint={slugHint} field="slug">
          <input name="slug" required maxLength={120} autocomplete="off" autocapitalize="none" spellcheck={false} />
        </Field>
      )}
      <Field label={texts.name} hint={texts.nameHint} field="name">
        <input name="name" dir="auto" maxLength={255} autocomplete="off" defaultValue={edited?.name} />
      </Field>
    </>
  );
}
