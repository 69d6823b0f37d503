// Files that are somewhere on the web: the service fetches them itself.
import { useId, useState } from 'react';

export function FromAddress({ onAddresses }: { onAddresses: (urls: readonly string[]) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const urls = text.split(/\s+/).filter(Boolean);
  const wrong = urls.find((url) => !/^https?:\/\/./i.test(url));
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (urls.length === 0 || wrong !== undefined) return;
        onAddresses(urls);
        setText('');
      }}
    >
      <label htmlFor={id}>From addresses on the web</label>
      <div className="row upload-address">
        <textarea
          id={id}
          rows={1}
          placeholder="https://…, one or several"
          value={text}
          aria-invalid={wrong !== undefined}
          aria-describedby={`${id}-wrong`}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" disabled={urls.length === 0 || wrong !== undefined}>
          Fetch
        </button>
      </div>
      <p id={`${id}-wrong`} className="fault" role="status">
        {wrong !== undefined && `An address begins with http:// or https://, “${wrong}” does not.`}
      </p>
    </form>
  );
}
