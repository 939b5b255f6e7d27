/** What API keys and session tokens begin with, wherever it stands; and a pairing code, which is no number. */
const KEY_OR_TOKEN = /pctl_|pses_/i;
const PAIRING_CODE = /^(?!\d+$)[0-9a-tv-z]{5}-?[0-9a-tv-z]{5}$/i;

/** Whether a text could be one of the secrets that we give out. What merely looks like one is told from it nowhere else. */
export function looksSecret(text: string): boolean {
  return KEY_OR_TOKEN.test(text) || PAIRING_CODE.test(text);
}
