// Pictures that were given up, and why.
import { Link } from 'wouter';
import type { AnalysisProgress } from '../../../../client/src/index.ts';
import { count } from '../../parts/units.ts';
import { objectPath } from '../../paths.ts';

type AnalysisFailuresProps = Pick<AnalysisProgress, 'failed' | 'failures'>;

export function AnalysisFailures({ failed, failures }: AnalysisFailuresProps) {
  return (
    <details>
      <summary>
        {count(failed, 'picture')} could not be analysed
        {failures.length < failed && ` (the last ${failures.length} are shown)`}
      </summary>
      <ul className="failures">
        {failures.map(({ object_id: id, error }) => (
          <li key={id}>
            <Link href={objectPath(id)}>
              <code>{id}</code>
            </Link>{' '}
            {error}
          </li>
        ))}
      </ul>
    </details>
  );
}
