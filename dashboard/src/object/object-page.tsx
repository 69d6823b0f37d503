export function ObjectPage({ id }: { id: string }) {
  return <p>{id}</p>;
}
