import { useState } from 'preact/hooks';
import { getPasskey, hasPasskeys } from '../api/passkeys.ts';
import { goToProvider, useWays } from '../api/provider.ts';
import { useChange } from '../api/use-change.ts';
import { Button } from '../components/button.tsx';
import { fieldOf } from '../components/forms/form.ts';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { pairing, session } from '../session.ts';
import { useShared } from '../shared.ts';
import { passkeys as passkeyTexts, provider as providerTexts, signIn as texts } from '../texts/account.ts';
import { common } from '../texts/common.ts';
import { ByLink, Welcome, welcome } from './sign-in-by-link.tsx';
import Provided from './sign-in-by-provider.tsx';

/** Signs in by link, provider, code, passkey or password. Outside the frame, whose links lead nowhere yet. */
export default function SignIn() {
  return (
    <main class="narrow" id="content">
      <p class="nav-name">{common.app}</p>
      <Way />
    </main>
  );
}

function Way() {
  const link = useShared(pairing);
  const state = useShared(session.state);
  // A session dropped by the browser would use up the code.
  if (!isSecureContext) {
    return (
      <Page title={texts.title}>
        <p class="note">{texts.insecure}</p>
      </Page>
    );
  }
  if (link?.kind === 'offered') return <ByLink code={link.code} />;
  if (link?.kind === 'used') return <Welcome />;
  if (link !== null) return <Provided back={link} />;
  return (
    <Page title={texts.title}>
      {state.kind === 'out' && state.isOver && <p class="note">{texts.over}</p>}
      <Ways />
    </Page>
  );
}

/** Offers accepted ways, or all if the server is unreachable. */
function Ways() {
  const { data: ways, problem } = useWays();
  if (ways === null && problem === null) return null;
  const { provider, password, passkey } = ways ?? { provider: null, password: true, passkey: true };
  return (
    <>
      {provider !== null && (
        <div class="paper stack">
          <Button text={providerTexts.signIn(provider.name)} class="primary" onClick={() => goToProvider()} />
        </div>
      )}
      {password ? (
        <ByCode />
      ) : (
        <details class="paper">
          <summary>{providerTexts.orCode}</summary>
          <ByCode />
        </details>
      )}
      {passkey && hasPasskeys && <ByPasskey />}
      {password && <ByPassword />}
    </>
  );
}

/** Signs in by code. Newcomers see the welcome; signed-out users stay on the page. */
function ByCode() {
  const { problem, isWorking, make } = useChange();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const { value: before } = session.state;
    const isFirst = before.kind !== 'out' || !before.isOver;
    const proof = { pairing_code: fieldOf(event, 'code') };
    await make(() => session.signIn(proof, isFirst ? welcome : undefined));
  };
  return (
    <form class="paper form" aria-label={texts.byCode} onSubmit={(event) => void submit(event)}>
      <label>
        {texts.code}
        <input
          class="mono"
          name="code"
          required
          autocomplete="one-time-code"
          autocapitalize="characters"
          spellcheck={false}
          aria-describedby="code-hint"
        />
      </label>
      <p class="hint" id="code-hint">
        {texts.codeHint}
      </p>
      <ProblemNote problem={problem} />
      <button class="primary" type="submit" aria-disabled={isWorking}>
        {isWorking ? texts.working : texts.submit}
      </button>
    </form>
  );
}

function ByPasskey() {
  const { problem, isWorking, make } = useChange();
  const [isGivenUp, setGivenUp] = useState(false);
  const submit = async (): Promise<void> => {
    const used = await make(getPasskey);
    setGivenUp(used !== null && used.data === null);
    const passkey = used?.data ?? null;
    if (passkey !== null) await make(() => session.signIn({ passkey }));
  };
  return (
    <div class="paper stack">
      <ProblemNote problem={problem} />
      {isGivenUp && <p class="hint">{passkeyTexts.notGiven}</p>}
      <Button text={isWorking ? texts.working : passkeyTexts.signIn} isWorking={isWorking} onClick={submit} />
    </div>
  );
}

function ByPassword() {
  const { problem, isWorking, make } = useChange();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const proof = { email: fieldOf(event, 'email'), password: fieldOf(event, 'password') };
    void make(() => session.signIn(proof));
  };
  return (
    <details class="paper">
      <summary>{texts.byPassword}</summary>
      <form class="form" aria-label={texts.byPassword} onSubmit={submit}>
        <label>
          {texts.email}
          <input name="email" type="email" required autocomplete="username" />
        </label>
        <label>
          {texts.password}
          <input name="password" type="password" required autocomplete="current-password" />
        </label>
        <ProblemNote problem={problem} />
        <button class="primary" type="submit" aria-disabled={isWorking}>
          {isWorking ? texts.working : texts.submit}
        </button>
      </form>
    </details>
  );
}
