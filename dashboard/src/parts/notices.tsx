// Short messages at the edge of the page: what was done, or why it was not.
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { sentence } from './sentence.ts';

type Notice = { readonly id: number; readonly text: string; readonly isFault: boolean };
type Notify = { done(text: string): void; failed(error: unknown): void };

const shownMs = 6000;
const Context = createContext<Notify>({ done: () => undefined, failed: () => undefined });

export function useNotices(): Notify {
  return use(Context);
}

export function NoticeProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const notify = useMemo<Notify>(() => {
    let lastId = 0;
    const remove = (id: number): void => setNotices((all) => all.filter((notice) => notice.id !== id));
    const add = (text: string, isFault: boolean): void => {
      const id = (lastId += 1);
      setNotices((all) => [...all.slice(-3), { id, text, isFault }]);
      setTimeout(() => remove(id), isFault ? shownMs * 2 : shownMs);
    };
    return { done: (text) => add(text, false), failed: (error) => add(sentence(error), true) };
  }, []);
  return (
    <Context value={notify}>
      {children}
      <div className="notices" role="status" aria-live="polite">
        {notices.map(({ id, text, isFault }) => (
          <p key={id} className={isFault ? 'notice fault' : 'notice'}>
            {text}
          </p>
        ))}
      </div>
    </Context>
  );
}
