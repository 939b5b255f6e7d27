/** Texts by value, in pairs, since objects would sort numbers. */
export type OptionTexts = Readonly<Record<string, string>> | readonly (readonly [value: string, text: string])[];

interface Props {
  readonly of: OptionTexts;
  /** The chosen value; absent: the select's, or the first. */
  readonly chosen?: string;
}

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
