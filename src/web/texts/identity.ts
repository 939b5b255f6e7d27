/** Texts of the dialog that asks the user to sign in again. */
export const texts = {
  title: 'Confirm that it is you',
  text: 'This action needs a fresh sign-in. You will not be asked again for ten minutes.',
  password: 'Password',
  pairing_code: 'Pairing code',
  codeHint:
    'A new one: from another of your devices, from pushctl member pair on the server, or from an admin if theirs is your only workspace.',
  useCode: 'Use a pairing code instead',
  usePassword: 'Use the password instead',
  confirm: 'Continue',
} as const;
