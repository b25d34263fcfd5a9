// A table that is wider than its frame is scrolled by keys, too: the frame takes the focus then, and only then.

const look = (frame) => {
  if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
  else frame.removeAttribute("tabindex");
};
const sizes = new ResizeObserver((entries) => { for (const entry of entries) look(entry.target); });

// Also in parts of the page that come later.
function watch() {
  for (const frame of document.querySelectorAll(".table-wrap:not([data-watched])")) {
    frame.dataset.watched = "";
    sizes.observe(frame);
  }
}
watch();
new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
