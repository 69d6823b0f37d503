// Where new uploads are kept.
import { useState } from 'react';
import type { Account } from '../../../../client/src/index.ts';
import { type Option, OneOf } from '../../parts/choices.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { sentence } from '../../parts/sentence.ts';
import { useChangeAccount } from '../use-account.ts';

type Backend = Account['storage_backend'];

const options: readonly Option<Backend>[] = [
  {
    value: 'files',
    label: 'files',
    hint: 'The usual place. Addresses begin with the service’s files address.',
  },
  {
    value: 'storage',
    label: 'storage',
    hint: 'The other place that this service has, such as another disk or bucket, with addresses of its own.',
  },
];

export function BackendForm({ account }: { account: Account }) {
  const change = useChangeAccount();
  const notices = useNotices();
  // Of its own: whether a change is pending is told a moment after the click, and until then the choice would jump back.
  const [wanted, setWanted] = useState<Backend | null>(null);
  const choose = (backend: Backend): void => {
    setWanted(backend);
    change.mutate(
      { storage_backend: backend },
      {
        onSuccess: () => notices.done(`New uploads go to ${backend} from now on.`),
        onSettled: () => setWanted(null),
      },
    );
  };
  return (
    <section className="card" aria-labelledby="backend">
      <h2 id="backend">Storage</h2>
      <p className="muted">
        This holds for new uploads. What is stored already stays where it is, and keeps its addresses.
      </p>
      <OneOf
        legend="Where new uploads are kept"
        options={options}
        chosen={wanted ?? account.storage_backend}
        onChange={choose}
        error={change.error && sentence(change.error)}
      />
    </section>
  );
}
