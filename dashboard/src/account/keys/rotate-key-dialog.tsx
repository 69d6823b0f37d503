// A new secret for a key; the old one may stay good until whoever uses it has the new one.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key, NewKey } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { AskDialog } from '../../parts/ask-dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { staySignedIn } from './stay-signed-in.ts';

type RotateKeyDialogProps = {
  readonly secretOf: Key;
  readonly isOwn: boolean;
  readonly onRotated: (key: NewKey) => void;
  readonly onClose: () => void;
};

const graces: readonly [seconds: number, words: string][] = [
  [0, 'Not at all: it stops working at once'],
  [3600, '1 hour'],
  [86_400, '1 day'],
  [604_800, '7 days'],
];

export function RotateKeyDialog({ secretOf: key, isOwn, onRotated, onClose }: RotateKeyDialogProps) {
  const [graceSeconds, setGraceSeconds] = useState(3600);
  const rotate = useMutation({
    mutationFn: async () => {
      const rotated = await tintype.keys.rotate(key.key_id, { grace_seconds: graceSeconds });
      if (isOwn) await staySignedIn(rotated.api_key);
      return rotated;
    },
    onSuccess: onRotated,
  });
  return (
    <AskDialog
      title={`Rotate “${key.name}”?`}
      confirm="Rotate the key"
      isPending={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      <p>
        The key gets a new secret and keeps its name and scopes.
        {isOwn && ' You are signed in with this key, and stay signed in with the new secret.'}
      </p>
      <Field label="The old secret stays good for">
        {(control) => (
          <select
            {...control}
            value={graceSeconds}
            onChange={({ target }) => setGraceSeconds(Number(target.value))}
          >
            {graces.map(([seconds, words]) => (
              <option key={seconds} value={seconds}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
    </AskDialog>
  );
}
