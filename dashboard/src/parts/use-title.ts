// The title of the window, which is also what a screen reader says of a new page.
import { useEffect } from 'react';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tintype`;
  }, [title]);
}
