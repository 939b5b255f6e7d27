import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask } from '../api/ask.ts';
import type { Answer, Problem } from '../api/problem.ts';
import { goToProvider, leftAddress } from '../api/provider.ts';
import { Button } from '../components/button.tsx';
import { Page } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { dismissPairing, type FromProvider, session, usePerson } from '../session.ts';
import { provider as texts } from '../texts/account.ts';

/** Handles the return from the provider: redeems the code at once, or shows why there is none. */
export default function Provided({ back }: { readonly back: FromProvider }) {
  if (back.kind === 'failed') return <Failed why={wordsFor(back.why)} />;
  return back.confirms ? <Confirms code={back.code} /> : <SignsIn code={back.code} />;
}

/** Needs no click, unlike a link: the server takes the code only from the browser that began. */
function SignsIn({ code }: { readonly code: string }) {
  const problem = useRedeemed(() => session.signIn({ pairing_code: code }), useWayBack());
  if (problem === null) return <Page title={texts.under}>{null}</Page>;
  return <Failed problem={problem} />;
}

function Confirms({ code }: { readonly code: string }) {
  const leave = useWayBack();
  const [isDone, setDone] = useState(false);
  const problem = useRedeemed(
    () => ask('post', '/v1/session/confirmation', { body: { pairing_code: code } }),
    () => setDone(true),
  );
  if (problem !== null) return <Failed problem={problem} />;
  if (!isDone) return <Page title={texts.under}>{null}</Page>;
  return (
    <Page title={texts.isYou}>
      <p>{texts.isYouText}</p>
      <div class="actions">
        <Button text={texts.back} class="primary" onClick={leave} />
      </div>
    </Page>
  );
}

function Failed({ why, problem }: { readonly why?: string; readonly problem?: Problem }) {
  const isSignedIn = usePerson() !== null;
  return (
    <Page title={texts.failed}>
      {why !== undefined && <p>{why}</p>}
      {problem !== undefined && <ProblemNote problem={problem} />}
      <div class="actions">
        {!isSignedIn && <Button text={texts.again} class="primary" onClick={() => goToProvider()} />}
        <Button text={texts.home} onClick={dismissPairing} />
      </div>
    </Page>
  );
}

/** Returns a function that leads back to before the sign-in. */
function useWayBack(): () => void {
  const { route } = useLocation();
  return () => {
    dismissPairing();
    route(leftAddress(), true);
  };
}

/** Redeems a code once. Returns its problem; null: none yet. */
function useRedeemed(redeem: () => Promise<Answer<unknown>>, done: () => void): Problem | null {
  const [problem, setProblem] = useState<Problem | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the code is good once
  useEffect(() => {
    void redeem().then((answer) => (answer.ok ? done() : setProblem(answer.problem)));
  }, []);
  return problem;
}

function wordsFor(why: string): string {
  const known: Readonly<Record<string, string>> = texts.why;
  return Object.hasOwn(known, why) ? (known[why] ?? texts.whyElse) : texts.whyElse;
}
