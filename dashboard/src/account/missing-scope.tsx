// What cannot be done here with the key of this session, and which key could.
import type { Scope } from './allows.ts';

type MissingScopeProps = {
  readonly scope: Scope;
  /** As in "… to change settings". */
  readonly needed: string;
};

export function MissingScope({ scope, needed }: MissingScopeProps) {
  return (
    <p className="missing-scope" role="note">
      The key you are signed in with does not have the scope <code>{scope}</code>, which it takes {needed}.
      Sign in with a key that has it.
    </p>
  );
}
