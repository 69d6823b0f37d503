// The front door: one field for a key.
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { tintype } from '../api.ts';
import { Mark } from '../parts/mark.tsx';
import { sentence } from '../parts/sentence.ts';
import { enterSession } from '../session.ts';
import { isRefusal } from '../../../client/src/index.ts';

export function SignInPage({ wasEnded }: { wasEnded: boolean }) {
  const id = useId();
  const signIn = useMutation({
    mutationFn: (apiKey: string) => tintype.session.signIn(apiKey),
    onSuccess: () => enterSession(),
  });
  return (
    <main className="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const key = new FormData(event.currentTarget).get('key') as string;
          signIn.mutate(key.trim());
        }}
      >
        <h1>
          <Mark size={40} />
          Tintype
        </h1>
        {wasEnded && (
          <p role="status">
            Your session has ended, or its key was revoked. Sign in to go on; nothing that was saved is lost.
          </p>
        )}
        <label htmlFor={id}>API key</label>
        <input
          id={id}
          name="key"
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          required
          autoFocus
          placeholder="tt_…"
          aria-describedby={`${id}-help`}
        />
        {signIn.isError && <p role="alert">{wrongKey(signIn.error)}</p>}
        <button type="submit" className="primary" disabled={signIn.isPending}>
          {signIn.isPending ? 'Signing in …' : 'Sign in'}
        </button>
        <p id={`${id}-help`} className="muted">
          The start command printed it once. Lost?{' '}
          <code>npm run tintype -- key create --name dashboard --scopes read,write,account</code> makes
          another. <a href="/docs">Docs</a>
        </p>
      </form>
    </main>
  );
}

function wrongKey(error: Error): string {
  return isRefusal(error, 'invalid_api_key')
    ? 'This key is not known here, was revoked, or has expired. Check that all of it was copied.'
    : sentence(error);
}
