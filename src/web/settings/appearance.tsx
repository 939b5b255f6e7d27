import { SCHEMES, scheme } from '../appearance.ts';
import { useShared } from '../shared.ts';
import { settings as texts } from '../texts/account.ts';

export function Appearance() {
  const current = useShared(scheme);
  return (
    <fieldset class="choices">
      <legend class="group">{texts.appearance}</legend>
      {SCHEMES.map((name) => (
        <label key={name}>
          <input
            type="radio"
            name="scheme"
            checked={current === name}
            onChange={() => {
              scheme.value = name;
            }}
          />
          {texts.schemes[name]}
        </label>
      ))}
    </fieldset>
  );
}
