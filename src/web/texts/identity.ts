export const texts = {
  title: 'Confirm that it is you',
  text: 'This action needs a fresh sign-in. You will not be asked again for ten minutes.',
  password: 'Password',
  pairing_code: 'Pairing code',
  codeHint:
    'Make a new code on another of your devices, or with pushctl member pair on the server. If you have only one workspace, its admins can make one, too.',
  useCode: 'Use a pairing code instead',
  usePassword: 'Use the password instead',
  confirm: 'Continue',
} as const;
