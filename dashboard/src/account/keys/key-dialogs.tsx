// The dialogs of the keys: made, rotated, revoked.
import { useQueryClient } from '@tanstack/react-query';
import type { Key, NewKey } from '../../../../client/src/index.ts';
import { useNotices } from '../../parts/notices.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { RevokeKeyDialog } from './revoke-key-dialog.tsx';
import { RotateKeyDialog } from './rotate-key-dialog.tsx';
import { useOwnKeyId } from './use-keys.ts';

export type KeyQuestion =
  | { readonly what: 'create' }
  | { readonly what: 'rotate' | 'revoke'; readonly key: Key }
  | { readonly what: 'keep'; readonly made: NewKey };

type KeyDialogsProps = {
  readonly asked: KeyQuestion;
  readonly onAsk: (asked: KeyQuestion | null) => void;
  readonly isOperator: boolean;
};

export function KeyDialogs({ asked, onAsk, isOperator }: KeyDialogsProps) {
  const ownKeyId = useOwnKeyId();
  const queries = useQueryClient();
  const notices = useNotices();
  const close = (): void => onAsk(null);
  const done = (): void => {
    close();
    void queries.invalidateQueries({ queryKey: ['keys'] });
  };
  const keep = (made: NewKey): void => onAsk({ what: 'keep', made });
  if (asked.what === 'create')
    return <CreateKeyDialog isOperator={isOperator} onMade={keep} onClose={close} />;
  if (asked.what === 'keep')
    return (
      <SecretDialog
        title={`The key “${asked.made.name}”`}
        secret={asked.made.api_key}
        // Not before: should the session have ended, the answer would take the secret away.
        onClose={done}
      />
    );
  const { key } = asked;
  const isOwn = key.key_id === ownKeyId;
  if (asked.what === 'rotate')
    return <RotateKeyDialog secretOf={key} isOwn={isOwn} onRotated={keep} onClose={close} />;
  const revoked = (): void => {
    notices.done(`The key “${key.name}” is revoked.`);
    done();
  };
  return <RevokeKeyDialog revoked={key} isOwn={isOwn} onRevoked={revoked} onClose={close} />;
}
