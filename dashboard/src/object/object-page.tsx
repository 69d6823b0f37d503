// One object: how it looks, what is known of it, what can be made of it, and where it is.
import './object.css';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { isRefusal, type ObjectDetails } from '../../../client/src/index.ts';
import { tintype } from '../api.ts';
import { Failure } from '../parts/failure.tsx';
import { loadPart } from '../parts/load-part.ts';
import { Loading } from '../parts/loading.tsx';
import { useTitle } from '../parts/use-title.ts';
import { paths } from '../paths.ts';
import { Addresses } from './addresses.tsx';
import { Builder } from './builder/builder.tsx';
import { DeleteObject } from './delete-object.tsx';
import { ObjectFacts } from './object-facts.tsx';
import { Picture } from './picture.tsx';
import { TagsEditor } from './tags-editor.tsx';

const Film = lazy(async () => {
  const { Film: part } = await loadPart(() => import('./player/film.tsx'));
  return { default: part };
});
const whileProcessedMs = 1000;

export function ObjectPage({ id }: { id: string }) {
  const object = useQuery({
    queryKey: ['object', id],
    queryFn: ({ signal }) => tintype.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? whileProcessedMs : false),
  });
  useTitle(object.data?.original_file_name ?? id);
  if (isRefusal(object.error, 'object_not_found')) return <Gone id={id} />;
  if (object.isError) return <Failure error={object.error} retry={() => void object.refetch()} />;
  if (!object.data) return <Loading what="the object" error={object.failureReason} />;
  return <Shown object={object.data} />;
}

function Shown({ object }: { object: ObjectDetails }) {
  const isFilm = object.video_url !== undefined;
  return (
    <article className="stack">
      <div className="row spread">
        <h1 className="object-name">{object.original_file_name}</h1>
        <DeleteObject object={object} />
      </div>
      <div className="object">
        <div className="object-view">
          {isFilm ? (
            <Suspense fallback={<Loading what="the player" />}>
              <Film object={object} />
            </Suspense>
          ) : (
            <Picture object={object} />
          )}
        </div>
        <div className="object-side stack">
          <ObjectFacts object={object} />
          <TagsEditor object={object} />
        </div>
      </div>
      <Builder object={object} />
      <Addresses object={object} />
    </article>
  );
}

function Gone({ id }: { id: string }) {
  return (
    <div className="state" role="status">
      <h2>There is no object {id}</h2>
      <p>It was deleted, or the address was not copied whole.</p>
      <Link href={paths.library} className="button">
        To the library
      </Link>
    </div>
  );
}

function isUnfinished({ status }: ObjectDetails): boolean {
  return status === 'queued' || status === 'processing';
}
