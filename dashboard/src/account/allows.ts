// What a key may do, as the service decides it: scopes are independent of each other, save that an operator may do everything.
export type Scope = 'read' | 'write' | 'account' | 'operator';

export function allows(scopes: readonly string[], needed: Scope): boolean {
  return scopes.includes(needed) || scopes.includes('operator');
}
