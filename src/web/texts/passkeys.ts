/** Of passkeys: in the settings, at the sign-in, and where a user shows that it is them. */
export const texts = {
  title: 'Passkeys',
  text: 'Sign in by the finger, face or PIN that unlocks this device, without a password. It signs in to the workspaces that you see here now.',
  none: 'This browser has no passkeys that an app can use.',
  add: 'Add a passkey',
  added: 'Added',
  used: 'Last used',
  unnamed: 'A passkey',
  givenUp: 'No passkey was made: the question was closed, or there is one here already.',
  remove: 'Remove',
  question: (name: string) => `Remove the passkey ${name}?`,
  removed: 'It signs in nowhere any more. Where you are signed in by it you stay so. Delete it on the device as well.',
  signIn: 'Sign in with a passkey',
  use: 'Use a passkey instead',
  notGiven: 'No passkey was used: the question was closed, or there is none here.',
} as const;
