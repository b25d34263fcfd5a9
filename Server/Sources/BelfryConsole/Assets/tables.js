// A table that is wider than its frame can be scrolled by keys: only then the frame can get the focus.

const look = (frame) => {
  if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
  else frame.removeAttribute("tabindex");
};
const sizes = new ResizeObserver((entries) => { for (const entry of entries) look(entry.target); });

// Also watches tables that are added to the page later.
function watch() {
  for (const frame of document.querySelectorAll(".table-wrap:not([data-watched])")) {
    frame.dataset.watched = "";
    sizes.observe(frame);
  }
}
watch();
new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
