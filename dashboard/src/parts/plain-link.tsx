// A link to another page of ours that knows nothing of where we are: of these there may be a hundred, and none has to be drawn
// again when the address changes.
import type { ComponentProps } from 'react';
import { navigate } from 'wouter/use-browser-location';

type PlainLinkProps = Omit<ComponentProps<'a'>, 'onClick' | 'href'> & { readonly href: string };

export function PlainLink({ href, ...others }: PlainLinkProps) {
  return (
    <a
      {...others}
      href={href}
      onClick={(event) => {
        // Into another tab or window, or saved: that is for the browser to do.
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
        event.preventDefault();
        navigate(href);
      }}
    />
  );
}
