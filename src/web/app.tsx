import type { ComponentType } from 'preact';
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso';
import type { PageProps } from './page-props.ts';
import { PAGES } from './pages.ts';
import { pairing } from './pairing.ts';
import { part } from './part.tsx';
import { session } from './session.ts';
import { useShared } from './shared.ts';
import { Frame } from './shell/frame.tsx';

const NotFound = part(() => import('./pages/not-found.tsx'));
const SignIn = part(() => import('./pages/sign-in.tsx'));

/** Addresses as the router writes them. */
const ROUTES = Object.entries(PAGES).map(([address, page]): [string, ComponentType<PageProps>] => [
  address.replaceAll(/{(\w+)}/g, ':$1'),
  page,
]);

/** The whole app: who is not signed in sees how to, at whatever address, and is there afterwards. */
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
  if (link !== null || kind === 'out') return <SignIn />;
  return (
    <Frame>
      <Router>
        {ROUTES.map(([path, page]) => (
          <Route key={path} path={path} component={page} />
        ))}
        <Route default component={NotFound} />
      </Router>
    </Frame>
  );
}
