/** By value. Pairs where the order counts of what an object has as numbers. */
export type OptionTexts = Readonly<Record<string, string>> | readonly (readonly [value: string, text: string])[];

interface Props {
  readonly of: OptionTexts;
  /** Absent: as the select says, or the first. */
  readonly chosen?: string;
}

/** Of a select. */
export function Options({ of, chosen }: Props) {
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
