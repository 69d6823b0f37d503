// What is around every page: the mark, the ways to the pages, and the way out.
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { tintype } from './api.ts';
import { ConnectionBanner } from './parts/connection-banner.tsx';
import { Mark } from './parts/mark.tsx';
import { useNotices } from './parts/notices.tsx';
import { ThemeButton } from './parts/theme-button.tsx';
import { paths } from './paths.ts';
import { leaveSession } from './session.ts';
import { forgetUploads, useUploads } from './upload/uploads.ts';

export function Frame({ scopes, children }: { scopes: readonly string[]; children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="frame">
        <Link href={paths.library} className="frame-mark" aria-label="Tintype">
          <Mark />
          <span>Tintype</span>
        </Link>
        <nav aria-label="Pages">
          <PageLink to={paths.library}>Library</PageLink>
          <PageLink to={paths.upload}>Upload</PageLink>
          <PageLink to={paths.account}>Account</PageLink>
          {scopes.includes('operator') && <PageLink to={paths.accounts}>Accounts</PageLink>}
          <a href="/docs">Docs</a>
        </nav>
        <div className="frame-end">
          <UploadsUnderWay />
          <ThemeButton />
          <SignOutButton />
        </div>
      </header>
      <ConnectionBanner />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** Only the service can clear the cookie: while it is away, nobody is told that they are signed out. */
function SignOutButton() {
  const notices = useNotices();
  const signOut = async (): Promise<void> => {
    try {
      await tintype.session.signOut();
      forgetUploads();
      leaveSession('out');
    } catch (error) {
      notices.failed(error);
    }
  };
  return (
    <button type="button" className="quiet" onClick={() => void signOut()}>
      Sign out
    </button>
  );
}

/** Uploads go on on every page. */
function UploadsUnderWay() {
  const uploads = useUploads();
  const left = uploads.filter(({ state }) => state === 'sending' || state === 'waiting').length;
  if (left === 0) return null;
  return (
    <Link href={paths.upload} className="frame-uploads" role="status">
      <span className="spinner" aria-hidden="true" /> {left} uploading
    </Link>
  );
}

function PageLink({ to, children }: { to: string; children: ReactNode }) {
  const [location] = useLocation();
  const isHere = to === paths.library ? location === to : location.startsWith(`${to}/`) || location === to;
  return (
    <Link href={to} aria-current={isHere ? 'page' : undefined}>
      {children}
    </Link>
  );
}
