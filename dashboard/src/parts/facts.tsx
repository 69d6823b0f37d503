// Names and what stands behind them, such as "Tier: pro".
import './facts.css';
import type { ReactNode } from 'react';

/** Null leaves it out. */
export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ facts, areNamesCode = false }: { facts: readonly Fact[]; areNamesCode?: boolean }) {
  return (
    <dl className="facts">
      {facts.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{areNamesCode ? <code>{name}</code> : name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
