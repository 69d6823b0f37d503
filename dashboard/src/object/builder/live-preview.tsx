// The look as it is being described, and what it costs in bytes.
import { useEffect, useState } from 'react';
import type { ObjectDetails } from '../../../../client/src/index.ts';
import { sentence } from '../../parts/sentence.ts';
import { bytes } from '../../parts/units.ts';
import { useRendered } from './use-rendered.ts';

export function LivePreview({ object, address }: { object: ObjectDetails; address: string }) {
  const rendered = useRendered(address);
  const [size, setSize] = useState<string | null>(null);
  const url = useBlobUrl(rendered.data?.blob);
  return (
    <div className="builder-preview" aria-busy={rendered.isFetching}>
      <div className="builder-stage">
        {url && !rendered.isError && (
          <img
            src={url}
            alt="Preview of the transformation"
            data-address={rendered.isPlaceholderData ? undefined : address}
            onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
              setSize(`${naturalWidth} × ${naturalHeight} px`)
            }
          />
        )}
        {rendered.isFetching && <span className="spinner" aria-hidden="true" />}
        {rendered.isError && (
          <p className="fault" role="alert">
            {sentence(rendered.error)}
          </p>
        )}
      </div>
      <p role="status" className="builder-cost">
        {rendered.data && !rendered.isError && (
          <Cost
            before={object.size * 1024}
            after={rendered.data.blob.size}
            size={size}
            type={rendered.data.type}
          />
        )}
      </p>
    </div>
  );
}

function Cost({
  before,
  after,
  size,
  type,
}: {
  before: number;
  after: number;
  size: string | null;
  type: string;
}) {
  const change = Math.round((1 - after / before) * 100);
  return (
    <>
      <span>
        {bytes(before)} → <strong>{bytes(after)}</strong>{' '}
        {change > 0 ? `(${change}% less)` : change < 0 ? `(${-change}% more)` : ''}
      </span>
      <span className="muted">
        {size} {type.split(';', 1)[0]}
      </span>
    </>
  );
}

function useBlobUrl(blob: Blob | undefined): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url;
}
