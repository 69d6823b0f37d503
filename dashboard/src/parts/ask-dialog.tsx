// A dialog that asks for something, or whether something is really to be done: what it was not done for stays in sight.
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Refusal } from './refusal.tsx';

type AskDialogProps = {
  readonly title: string;
  readonly confirm: string;
  readonly cancel?: string;
  readonly isPending: boolean;
  /** Null also while it is shown beside a field. */
  readonly error: Error | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

export function AskDialog(props: AskDialogProps) {
  const { title, confirm, cancel = 'Cancel', isPending, error, onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) onConfirm();
        }}
      >
        {children}
        <Refusal error={error} />
        <div className="dialog-actions">
          <button type="button" onClick={onClose}>
            {cancel}
          </button>
          <button type="submit" className="primary" disabled={isPending}>
            {isPending ? 'One moment …' : confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
