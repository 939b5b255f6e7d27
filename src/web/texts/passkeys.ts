/** Texts about passkeys: in the settings, at the sign-in, and when users confirm that it is them. */
export const texts = {
  title: 'Passkeys',
  text: 'Sign in with the fingerprint, face or PIN that unlocks this device, without a password. It gives access to the workspaces you see here now.',
  none: 'This browser has no passkeys that an app can use.',
  add: 'Add a passkey',
  added: 'Added',
  used: 'Last used',
  unnamed: 'A passkey',
  givenUp: 'No passkey was made: the request was cancelled, or there is one here already.',
  remove: 'Remove',
  question: (name: string) => `Remove the passkey ${name}?`,
  removed: 'It no longer signs you in. Existing sessions stay signed in. Delete it on the device as well.',
  signIn: 'Sign in with a passkey',
  use: 'Use a passkey instead',
  notGiven: 'No passkey was used: the request was cancelled, or there is none here.',
} as const;
