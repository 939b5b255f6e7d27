import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso';
import { BackLink } from './components/links.tsx';
import { Page, type PageProps } from './components/page.tsx';
import { Inbox } from './pages/inbox.tsx';
import { PAGES, part } from './pages.tsx';
import { pairing, session } from './session.ts';
import { useShared } from './shared.ts';
import { Frame } from './shell/frame.tsx';
import { notFound as texts } from './texts/common.ts';

const SignIn = part(() => import('./pages/sign-in.tsx'));

/** Wide screens show this address beside the list. */
const EVENT = '/events/:event';

/** `shell.css`'s breakpoint, in em to follow the font size. */
const WIDE = matchMedia('(min-width: 68.75em)');

/** Pages by address, in router notation. */
const ROUTES = Object.entries(PAGES).map(([address, page]): [string, ComponentType<PageProps>] => [
  address.replaceAll(/{(\w+)}/g, ':$1'),
  page,
]);

/** Renders the app. Without a user, every address shows the sign-in, then its page. */
export function App() {
  return (
    <LocationProvider scope={/^\/(?!api\/)/}>
      <ErrorBoundary>
        <Inside />
      </ErrorBoundary>
    </LocationProvider>
  );
}

function Inside() {
  const { kind } = useShared(session.state);
  const link = useShared(pairing);
  const isWide = useIsWide();
  if (link !== null || kind === 'out') return <SignIn />;
  return (
    <Frame>
      <Router>
        {ROUTES.map(([path, page]) => {
          const component = isWide && path === EVENT ? Inbox : page;
          // Routes with the same key keep their component between them.
          const key = component === Inbox ? '/' : path;
          return <Route key={key} path={path} component={component} isWide={isWide} />;
        })}
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}

/** Returns whether list and chosen event fit side by side. */
function useIsWide(): boolean {
  const [isWide, setWide] = useState(WIDE.matches);
  useEffect(() => {
    const update = (): void => setWide(WIDE.matches);
    WIDE.addEventListener('change', update);
    return () => WIDE.removeEventListener('change', update);
  }, []);
  return isWide;
}

function NotFound() {
  return (
    <Page title={texts.title}>
      <p>{texts.text}</p>
      <BackLink />
    </Page>
  );
}
