/** Texts about passkeys: settings, sign-in, and proof of identity. */
export const texts = {
  title: 'Passkeys',
  text: 'Sign in with the fingerprint, face or PIN that unlocks this device, without a password. A passkey gives access to the workspaces that you see here now.',
  none: 'This browser has no passkeys that an app can use.',
  add: 'Add a passkey',
  added: 'Added',
  used: 'Last used',
  unnamed: 'A passkey',
  givenUp: 'No passkey was made: the request was cancelled, or this device already has one.',
  remove: 'Remove',
  question: (name: string) => `Remove the passkey ${name}?`,
  removed: 'It no longer signs you in. Existing sessions stay signed in. Delete it on the device as well.',
  signIn: 'Sign in with a passkey',
  use: 'Use a passkey instead',
  notGiven: 'No passkey was used: the request was cancelled, or this device has none.',
} as const;
