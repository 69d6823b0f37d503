// What keys may be allowed to do. Scopes are independent of each other, save that an operator's key may do everything.
import type { Scope } from '../platform/http/http-server.ts';

export const allScopes: readonly Scope[] = ['read', 'write', 'account', 'operator'];
export const defaultKeyScopes: readonly Scope[] = ['read', 'write'];
export const newAccountScopes: readonly Scope[] = ['read', 'write', 'account'];
export const operatorScopes: readonly Scope[] = ['operator', 'account', 'read', 'write'];

export function allows(scopes: readonly Scope[], needed: Scope): boolean {
  return scopes.includes(needed) || scopes.includes('operator');
}

/** As the key's row keeps them: each once, separated by spaces. */
export function joinScopes(scopes: readonly Scope[]): string {
  return [...new Set(scopes)].join(' ');
}

export function splitScopes(text: string): Scope[] {
  return text.split(' ').filter((word): word is Scope => allScopes.includes(word as Scope));
}
