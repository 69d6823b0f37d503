// Whether somebody is signed in, as far as this page knows. The cookie itself is out of reach of scripts: a note beside it
// tells whether it is worth asking.
import { useSyncExternalStore } from 'react';

export type SessionState = 'in' | 'out' | 'ended';

const note = 'tintype-signed-in';
const listeners = new Set<() => void>();
let state: SessionState = localStorage.getItem(note) === null ? 'out' : 'in';

export function useSessionState(): SessionState {
  return useSyncExternalStore(subscribe, () => state);
}

export function enterSession(): void {
  localStorage.setItem(note, 'yes');
  change('in');
}

/** `ended`: it was not the user's wish. */
export function leaveSession(how: 'out' | 'ended'): void {
  localStorage.removeItem(note);
  change(how);
}

function change(next: SessionState): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Another tab signed in or out.
addEventListener('storage', ({ key, newValue }) => {
  if (key === note) change(newValue === null ? 'out' : 'in');
});
