// The account of whoever is signed in: its use, and its settings in sections that each have an address.
import './account.css';
import type { ReactNode } from 'react';
import { Link, Redirect } from 'wouter';
import { useTitle } from '../parts/use-title.ts';
import { paths } from '../paths.ts';
import { AiSection } from './ai/ai-section.tsx';
import { KeysSection } from './keys/keys-section.tsx';
import { OverviewSection } from './overview/overview-section.tsx';
import { TransformationsSection } from './transformations/transformations-section.tsx';
import { WebhooksSection } from './webhooks/webhooks-section.tsx';

type Section = {
  /** The end of its address. */
  readonly name: string;
  readonly title: string;
  readonly show: (scopes: readonly string[]) => ReactNode;
};

const sections: readonly Section[] = [
  { name: '', title: 'Overview', show: (scopes) => <OverviewSection scopes={scopes} /> },
  { name: 'keys', title: 'Keys', show: (scopes) => <KeysSection scopes={scopes} /> },
  { name: 'ai', title: 'Analysis', show: (scopes) => <AiSection scopes={scopes} /> },
  { name: 'webhooks', title: 'Webhooks', show: (scopes) => <WebhooksSection scopes={scopes} /> },
  {
    name: 'transformations',
    title: 'Transformations',
    show: (scopes) => <TransformationsSection scopes={scopes} />,
  },
];

type AccountPageProps = { readonly section: string | undefined; readonly scopes: readonly string[] };

export function AccountPage({ section = '', scopes }: AccountPageProps) {
  const here = sections.find(({ name }) => name === section);
  useTitle(here ? `${here.title} · Account` : 'Account');
  if (!here) return <Redirect to={paths.account} replace />;
  return (
    <div className="account">
      <h1>Account</h1>
      <nav className="account-nav" aria-label="Account">
        {sections.map(({ name, title }) => (
          <Link
            key={name}
            href={name === '' ? paths.account : `${paths.account}/${name}`}
            aria-current={name === section ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <div className="account-section">{here.show(scopes)}</div>
    </div>
  );
}
