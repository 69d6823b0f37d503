// How far the analysis is, what keeps it, and what was given up.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AnalysisProgress } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { Failure } from '../../parts/failure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { count, dateAndTime } from '../../parts/units.ts';
import { allows } from '../allows.ts';
import { AnalysisFailures } from './analysis-failures.tsx';

const refreshMs = 3000;

export function AnalysisState({ scopes }: { scopes: readonly string[] }) {
  const analysis = useQuery({
    queryKey: ['analysis'],
    queryFn: ({ signal }) => tintype.account.analysis({ signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? refreshMs : false),
  });
  const { data } = analysis;
  return (
    <section className="card" aria-labelledby="analysis">
      <h2 id="analysis">Analysis</h2>
      <p className="muted">
        A model describes each picture. Then it can be found by what people type, such as “two boats at
        sunset”. Films are not analysed.
      </p>
      {data && <Progress progress={data} />}
      {data && data.failed > 0 && <Failed progress={data} mayRetry={allows(scopes, 'account')} />}
      {!data && analysis.isError && <Failure error={analysis.error} retry={() => void analysis.refetch()} />}
      {!data && analysis.isPending && <Loading what="the analysis" error={analysis.failureReason} />}
    </section>
  );
}

function Progress({ progress }: { progress: AnalysisProgress }) {
  const { pictures, analysed, waiting, model, ai_error: fault, paused_until: until } = progress;
  return (
    <>
      <div className="use-bar">
        <p className="row spread" role="status">
          <span>{inWords(progress)}</span>
          {waiting > 0 && <span className="muted">{count(waiting, 'picture')} waiting</span>}
        </p>
        {pictures > 0 && <progress value={analysed} max={pictures} aria-label="Analysed" />}
      </div>
      <p className="muted">
        Model <code>{model}</code>
      </p>
      {fault !== null && (
        <p className="fault" role="alert">
          Pictures are not analysed at present: {fault}
        </p>
      )}
      {until !== null && <p>The provider is asked again on {dateAndTime(until)}.</p>}
    </>
  );
}

/** Right after it was switched on, nothing waits yet. */
function isUnderWay({ ai_analysis: isOn, pictures, analysed, waiting, failed }: AnalysisProgress): boolean {
  return waiting > 0 || (isOn && analysed + failed < pictures);
}

function inWords({ ai_analysis: isOn, pictures, analysed }: AnalysisProgress): string {
  if (pictures === 0) return isOn ? 'On. There are no pictures yet.' : 'Off. There are no pictures yet.';
  const share = `${analysed.toLocaleString('en')} of ${count(pictures, 'picture')} analysed`;
  return isOn ? share : `Off. ${share}`;
}

function Failed({ progress, mayRetry }: { progress: AnalysisProgress; mayRetry: boolean }) {
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () => tintype.account.analyseAgain(),
    onSuccess: (next) => queries.setQueryData(['analysis'], next),
  });
  return (
    <>
      <AnalysisFailures failed={progress.failed} failures={progress.failures} />
      <Refusal error={again.error} />
      {mayRetry && (
        <div>
          <button type="button" disabled={again.isPending} onClick={() => again.mutate()}>
            {again.isPending ? 'One moment …' : 'Try the failed ones again'}
          </button>
        </div>
      )}
    </>
  );
}
