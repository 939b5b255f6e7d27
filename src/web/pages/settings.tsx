import { IdentityDialog } from '../components/dialogs/identity-dialog.tsx';
import { Page } from '../components/page.tsx';
import '../styles/devices.css';
import { Account, Calendar, PairDevice, Workspaces } from '../settings/account.tsx';
import { Appearance, Keys, Language, Notifications, Writing } from '../settings/browser.tsx';
import { Passkeys, Password, Sessions } from '../settings/sign-ins.tsx';
import { settings as texts } from '../texts/account.ts';

export default function Settings() {
  return (
    <Page title={texts.title}>
      <Account />
      <PairDevice />
      <Sessions />
      <Workspaces />
      <Passkeys />
      <Password />
      <Calendar />
      <Notifications />
      <Appearance />
      <Language />
      <Writing />
      <Keys />
      <IdentityDialog />
    </Page>
  );
}
