import { useState } from 'preact/hooks';
import { hasShortcuts, switchKeys } from '../shell/use-keys.ts';
import { settings as texts } from '../texts/account.ts';

export function Keys() {
  const [isOn, setOn] = useState(hasShortcuts);
  const choose = (isWanted: boolean): void => {
    switchKeys(isWanted);
    setOn(isWanted);
  };
  return (
    <fieldset class="choices">
      <legend class="group">{texts.keys.title}</legend>
      <label>
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => choose(currentTarget.checked)} />
        <span>
          {texts.keys.on} <span class="hint">{texts.keys.onHint}</span>
        </span>
      </label>
    </fieldset>
  );
}
