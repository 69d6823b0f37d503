// Whether the provider answers: a search by description has it turn the words into a vector, with the saved settings.
import { useMutation } from '@tanstack/react-query';
import { isRefusal } from '../../../../client/src/index.ts';
import { tintype } from '../../api.ts';
import { sentence } from '../../parts/sentence.ts';

export function TryAnalysis() {
  const attempt = useMutation({
    mutationFn: async (): Promise<number> => {
      const begun = performance.now();
      await tintype.search('test', { limit: 1, threshold: 0 });
      return (performance.now() - begun) / 1000;
    },
  });
  return (
    <section className="card" aria-labelledby="try-analysis">
      <h2 id="try-analysis">Does it work?</h2>
      <p className="muted">
        Asks the provider for the vector of one word, with the settings as they are saved.
      </p>
      <div className="row">
        <button type="button" disabled={attempt.isPending} onClick={() => attempt.mutate()}>
          {attempt.isPending ? 'Asking the provider …' : 'Test it now'}
        </button>
      </div>
      <p role="status" className={attempt.isError ? 'fault' : undefined}>
        {attempt.isSuccess && `It works: the provider answered within ${attempt.data.toFixed(1)} s.`}
        {attempt.isError && whyNot(attempt.error)}
      </p>
    </section>
  );
}

function whyNot(error: Error): string {
  if (isRefusal(error, 'analysis_off'))
    return 'Analysis is off. Switch it on above, save, and test it again.';
  if (isRefusal(error, 'ai_key_missing'))
    return 'There is no key for the provider yet. Enter one above, save, and test it again.';
  if (isRefusal(error, 'provider_failed')) return `It does not work. ${sentence(error)}`;
  return sentence(error);
}
