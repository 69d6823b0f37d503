// Copies a text, and says that it did.
import { useState } from 'react';
import { useNotices } from './notices.tsx';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const notices = useNotices();
  const copy = async (button: HTMLElement): Promise<void> => {
    try {
      await writeToClipboard(text, button);
      setIsCopied(true);
      setTimeout(() => setIsCopied(false), 1500);
    } catch {
      notices.done('This browser does not allow copying here; select the text instead.');
    }
  };
  return (
    <button type="button" className="small" onClick={({ currentTarget }) => void copy(currentTarget)}>
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </button>
  );
}

/** The clipboard of the browser is there for secure pages only, and many try the service by plain http at first. */
async function writeToClipboard(text: string, button: HTMLElement): Promise<void> {
  if (isSecureContext) return navigator.clipboard.writeText(text);
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  // Beside the button: while a dialog is open, nothing outside of it can be selected.
  button.after(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  button.focus();
  if (!isDone) throw new Error('not copied');
}
