// Which page is shown: the sign-in until somebody is signed in, then whatever the address says.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { tintype } from './api.ts';
import { Frame } from './frame.tsx';
import { LibraryPage } from './library/library-page.tsx';
import { Failure } from './parts/failure.tsx';
import { loadPart } from './parts/load-part.ts';
import { Loading } from './parts/loading.tsx';
import { paths } from './paths.ts';
import { queryClient } from './query-client.ts';
import { useSessionState } from './session.ts';
import { SignInPage } from './sign-in/sign-in-page.tsx';

const UploadPage = lazy(async () => {
  const { UploadPage: page } = await loadPart(() => import('./upload/upload-page.tsx'));
  return { default: page };
});
const ObjectPage = lazy(async () => {
  const { ObjectPage: page } = await loadPart(() => import('./object/object-page.tsx'));
  return { default: page };
});
const AccountPage = lazy(async () => {
  const { AccountPage: page } = await loadPart(() => import('./account/account-page.tsx'));
  return { default: page };
});
const AccountsPage = lazy(async () => {
  const { AccountsPage: page } = await loadPart(() => import('./accounts/accounts-page.tsx'));
  return { default: page };
});

export function App() {
  const state = useSessionState();
  useEffect(() => {
    if (state !== 'in') queryClient.clear();
  }, [state]);
  if (state !== 'in') return <SignInPage wasEnded={state === 'ended'} />;
  return <SignedIn />;
}

function SignedIn() {
  const session = useQuery({
    queryKey: ['session'],
    queryFn: () => tintype.session.get(),
    staleTime: 3_600_000,
  });
  if (session.isPending) return <Loading what="the dashboard" error={session.failureReason} />;
  if (session.isError) return <Failure error={session.error} retry={() => void session.refetch()} />;
  const { scopes } = session.data;
  return (
    <Frame scopes={scopes}>
      <FocusOnChange />
      <Suspense fallback={<Loading what="the page" />}>
        <Switch>
          <Route path={paths.library}>
            <LibraryPage />
          </Route>
          <Route path={paths.upload}>
            <UploadPage />
          </Route>
          <Route path={`${paths.objects}/:id`}>{({ id }) => <ObjectPage key={id} id={id} />}</Route>
          <Route path={`${paths.account}/:section?`}>
            {({ section }) => <AccountPage section={section} scopes={scopes} />}
          </Route>
          {scopes.includes('operator') && (
            <Route path={paths.accounts}>
              <AccountsPage />
            </Route>
          )}
          <Route>
            <Redirect to={paths.library} replace />
          </Route>
        </Switch>
      </Suspense>
    </Frame>
  );
}

/** Who cannot see the page change hears it, and begins at the top of the new one. */
function FocusOnChange() {
  const [location] = useLocation();
  const shown = useRef(location);
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [location]);
  return null;
}
