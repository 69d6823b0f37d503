// Where files are dropped, or chosen by a click. The whole window takes them.
import { useEffect, useRef, useState } from 'react';
import { filesIn } from './files-in.ts';

export function DropZone({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDrop(onFiles);
  return (
    <div className="drop-zone" data-over={isOver || undefined}>
      <p className="drop-title">{isOver ? 'Let go to upload' : 'Drop pictures and films here'}</p>
      <p className="muted">or paste them, or</p>
      <button type="button" className="primary" onClick={() => input.current?.click()}>
        Choose files
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept="image/*,video/*,.mkv"
        aria-label="Files to upload"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </div>
  );
}

function useDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [depth, setDepth] = useState(0);
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent): void => void (hasFiles(event) && setDepth((now) => now + 1));
    const leave = (event: DragEvent): void =>
      void (hasFiles(event) && setDepth((now) => Math.max(0, now - 1)));
    const over = (event: DragEvent): void => void (hasFiles(event) && event.preventDefault());
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDepth(0);
      void filesIn(event.dataTransfer).then((files) => files.length > 0 && onFiles(files));
    };
    const all = { dragenter: enter, dragleave: leave, dragover: over, drop } as const;
    for (const [name, listener] of Object.entries(all)) addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(all))
        removeEventListener(name, listener as EventListener);
    };
  });
  return depth > 0;
}
