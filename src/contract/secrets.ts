/** The prefixes of API keys and session tokens, anywhere in a text; and a pairing code, which is never all digits. */
const KEY_OR_TOKEN = /pctl_|pses_/i;
const PAIRING_CODE = /^(?!\d+$)[0-9a-tv-z]{5}-?[0-9a-tv-z]{5}$/i;

/** Whether a text could be one of the secrets that pushctl issues. It may merely look like one. */
export function looksSecret(text: string): boolean {
  return KEY_OR_TOKEN.test(text) || PAIRING_CODE.test(text);
}
