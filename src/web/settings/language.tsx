import { chooseLanguage, chosenLanguage, LANGUAGES, type Language as Name } from '../chosen-language.ts';
import { settings as texts } from '../texts/account.ts';

/** Sets this browser's language, reloading the page. */
export function Language() {
  const chosen = chosenLanguage();
  const choices = [[null, texts.languageOfBrowser] as const, ...Object.entries(LANGUAGES)];
  return (
    <fieldset class="choices">
      <legend class="group">{texts.language}</legend>
      {choices.map(([language, name]) => (
        <label key={name} lang={language ?? undefined}>
          <input
            type="radio"
            name="language"
            checked={chosen === language}
            onChange={() => {
              chooseLanguage(language as Name | null);
              location.reload();
            }}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
