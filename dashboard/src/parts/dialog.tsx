// A question in front of the page, with the browser's own dialog: it keeps the focus inside and closes on Escape.
import { type ReactNode, useEffect, useId, useRef } from 'react';

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

export function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Begun outside, too: a selection dragged out of a field is no wish to leave.
      onPointerDown={(event) => event.target === element.current && onClose()}
    >
      <div className="dialog">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
