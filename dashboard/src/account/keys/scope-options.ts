// What the scopes of a key allow.
import type { Option } from '../../parts/choices.tsx';
import type { Scope } from '../allows.ts';

const ordinary: readonly Option<Scope>[] = [
  { value: 'read', label: 'read', hint: 'List, search and look at objects, and see the use of the account.' },
  { value: 'write', label: 'write', hint: 'Upload, change and delete objects.' },
  { value: 'account', label: 'account', hint: 'Change settings, keys, webhooks and analysis.' },
];
const operator: Option<Scope> = {
  value: 'operator',
  label: 'operator',
  hint: 'Everything, in all accounts of this service.',
};

/** Only an operator can make a key for operators. */
export function scopeOptions(isOperator: boolean): readonly Option<Scope>[] {
  return isOperator ? [...ordinary, operator] : ordinary;
}
