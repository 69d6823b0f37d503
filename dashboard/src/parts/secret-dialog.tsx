// A secret that the service tells once. A stray click or key must not lose it: it stays until it is put away.
import './secret-dialog.css';
import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

type SecretDialogProps = {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** What it is good for. */
  readonly children?: ReactNode;
};

export function SecretDialog({ title, secret, onClose, children }: SecretDialogProps) {
  return (
    <Dialog key={secret} title={title} onClose={() => undefined}>
      {children}
      <p>
        <strong>Copy it now and keep it safe. It is not shown again.</strong>
      </p>
      <div className="secret">
        <code>{secret}</code>
        <CopyButton text={secret} />
      </div>
      <div className="dialog-actions">
        <button type="button" className="primary" onClick={onClose}>
          I have kept it
        </button>
      </div>
    </Dialog>
  );
}
