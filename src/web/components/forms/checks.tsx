import './forms.css';

interface Props<T extends string> {
  readonly label: string;
  /** The boxes' `name` in the form. */
  readonly name: string;
  readonly options: readonly T[];
  readonly textOf: Readonly<Record<T, string>>;
  readonly isChosen: (option: T) => boolean;
  readonly error: string | undefined;
}

/** Boxes, at least one to be ticked. */
export function Checks<T extends string>({ label, name, options, textOf, isChosen, error }: Props<T>) {
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
