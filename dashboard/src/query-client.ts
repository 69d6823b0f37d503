// What the page knows of the service, and what happens when the service cannot be asked: a busy or restarting one is
// asked again until it answers, an ended session leads back to the sign-in.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ConnectionError, TintypeError } from '../../client/src/index.ts';
import { isSignedOut } from './api.ts';
import { leaveSession } from './session.ts';

const onError = (error: Error): void => {
  if (isSignedOut(error)) leaveSession('ended');
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 120_000,
      retry: (_failures, error) => isPassing(error),
      retryDelay: (failures) => Math.min(5000, 500 * 2 ** failures),
      networkMode: 'always',
    },
    mutations: { networkMode: 'always' },
  },
});

/** Faults that go by themselves: nobody answers, or somebody is restarting. */
export function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof TintypeError && error.status >= 502);
}
