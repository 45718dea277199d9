/** A panel over the page: only it can be used until it is closed, then what had the focus has it again. */
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly label: string;
  readonly class?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function DialogPanel({ label, class: own = '', onClose, children }: DialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    return () => opened?.close();
  }, []);
  // A search field would only clear itself.
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  return (
    <dialog class={`dialog-panel ${own}`} aria-label={label} ref={dialog} onClose={onClose} onKeyDown={onKeyDown}>
      <button type="button" class="close" aria-label="Close (Escape)" onClick={onClose}>
        ×
      </button>
      {children}
    </dialog>
  );
}
