// Uploading: dropped, pasted, chosen or from an address, with tags and a folder for all of them.
import './upload.css';
import { useEffect, useState } from 'react';
import { TagField } from '../parts/tag-field.tsx';
import { useTitle } from '../parts/use-title.ts';
import { FolderField } from './folder-field.tsx';
import { FromAddress } from './from-address.tsx';
import { DropZone } from './drop-zone.tsx';
import { filesIn } from './files-in.ts';
import { UploadList } from './upload-list.tsx';
import { addAddresses, addFiles, useUploads } from './uploads.ts';

export function UploadPage() {
  useTitle('Upload');
  const uploads = useUploads();
  const [tags, setTags] = useState<readonly string[]>([]);
  const [folder, setFolder] = useState('');
  const fields = { tags, folder: folder.trim() };
  const add = (files: readonly File[]): void => void addFiles(files, fields);
  usePaste(add);
  return (
    <div className="stack upload-page">
      <h1>Upload</h1>
      <DropZone onFiles={add} />
      <div className="upload-fields">
        <TagField label="Tags for what is added from now on" tags={tags} onChange={setTags} />
        <FolderField value={folder} onChange={setFolder} />
      </div>
      <FromAddress onAddresses={(urls) => addAddresses(urls, fields)} />
      {uploads.length > 0 && <UploadList uploads={uploads} />}
    </div>
  );
}

function usePaste(onFiles: (files: readonly File[]) => void): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      void filesIn(event.clipboardData).then((files) => files.length > 0 && onFiles(files));
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  });
}
