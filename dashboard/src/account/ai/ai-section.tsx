// Captions and search by description: how far it is, by whom it is done, and whether that works.
import { Changeable } from '../changeable.tsx';
import { WithAccount } from '../with-account.tsx';
import { AiForm } from './ai-form.tsx';
import { AnalysisState } from './analysis-state.tsx';
import { TryAnalysis } from './try-analysis.tsx';

export function AiSection({ scopes }: { scopes: readonly string[] }) {
  return (
    <WithAccount scopes={scopes}>
      {(account) => (
        <>
          <AnalysisState scopes={scopes} />
          <Changeable scopes={scopes}>
            <AiForm account={account} />
          </Changeable>
          <TryAnalysis />
        </>
      )}
    </WithAccount>
  );
}
