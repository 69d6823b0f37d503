// The files of a drop or a paste, those of dropped folders among them.
export async function filesIn(transfer: DataTransfer | null): Promise<File[]> {
  if (!transfer) return [];
  // Asked for at once: the items are gone after the event.
  const entries = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const all: File[] = [];
  for (const entry of entries) all.push(...(entry instanceof File ? [entry] : await filesOf(entry)));
  return all;
}

async function filesOf(entry: FileSystemEntry | null): Promise<File[]> {
  if (entry?.isFile)
    return [
      await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
    ];
  if (!entry?.isDirectory) return [];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const all: File[] = [];
  // A reader gives its entries by the hundred, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    for (const each of some) if (!each.name.startsWith('.')) all.push(...(await filesOf(each)));
  }
}
