// Which field of the analysis was refused; an address that is not allowed is told without its field, and there is one only.
import { isRefusal } from '../../../../client/src/index.ts';
import { refusedField } from '../../parts/refused-field.ts';

export function refusedAiField(error: unknown): string | null {
  if (isRefusal(error, 'bad_request') && error.message.startsWith('The address')) return 'openai_base_url';
  return refusedField(error);
}
