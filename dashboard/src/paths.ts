// The addresses of the pages.
export const paths = {
  library: '/',
  upload: '/dashboard/upload',
  objects: '/dashboard/objects',
  account: '/dashboard/account',
  accounts: '/dashboard/accounts',
} as const;

export function objectPath(objectId: string): string {
  return `${paths.objects}/${encodeURIComponent(objectId)}`;
}
