// How much the account uses, who it belongs to, and where new uploads go.
import type { Account } from '../../../../client/src/index.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { count, dateAndTime, kilobytes, minutes } from '../../parts/units.ts';
import { Changeable } from '../changeable.tsx';
import { WithAccount } from '../with-account.tsx';
import { BackendForm } from './backend-form.tsx';
import { EmailForm } from './email-form.tsx';
import { UseBar } from './use-bar.tsx';

export function OverviewSection({ scopes }: { scopes: readonly string[] }) {
  return (
    <WithAccount scopes={scopes}>
      {(account) => (
        <>
          <Use account={account} />
          <About account={account} />
          <Changeable scopes={scopes}>
            <EmailForm account={account} />
            <BackendForm account={account} />
          </Changeable>
        </>
      )}
    </WithAccount>
  );
}

function Use({ account }: { account: Account }) {
  return (
    <section className="card" aria-labelledby="use">
      <h2 id="use">Use</h2>
      <UseBar name="Storage" used={account.storage_used} limit={account.storage_limit} format={kilobytes} />
      <UseBar
        name="Video"
        used={account.video_minutes_used}
        limit={account.video_minutes_limit}
        format={minutes}
      />
      <p>{count(account.object_count, 'object')} stored</p>
    </section>
  );
}

function About({ account }: { account: Account }) {
  const rate = account.rate_limit_per_minute;
  return (
    <section className="card" aria-labelledby="about">
      <h2 id="about">About this account</h2>
      <Facts
        facts={[
          ['Tier', account.tier],
          ['API requests', rate === null ? 'no limit' : `${count(rate, 'request')} per minute`],
          ['Member since', dateAndTime(account.created_at)],
          [
            'Bucket',
            <span key="bucket" className="row">
              <code>{account.bucket_id}</code>
              <CopyButton text={account.bucket_id} />
            </span>,
          ],
        ]}
      />
    </section>
  );
}
