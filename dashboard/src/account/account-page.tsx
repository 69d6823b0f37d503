export function AccountPage({ section, scopes }: { section: string | undefined; scopes: readonly string[] }) {
  return (
    <p>
      {section}
      {scopes}
    </p>
  );
}
