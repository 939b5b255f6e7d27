interface Props {
  readonly of: readonly (readonly [value: string, text: string])[];
  readonly chosen: string;
}

/** Of a select. */
export function Options({ of, chosen }: Props) {
  return (
    <>
      {of.map(([value, text]) => (
        <option key={value} value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </>
  );
}
