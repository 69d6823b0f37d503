// Why something was not done, in the place where it was asked for.
import { sentence } from './sentence.ts';

export function Refusal({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p className="fault" role="alert">
      {sentence(error)}
    </p>
  );
}
