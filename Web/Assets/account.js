// The account pages.

import { bindCapture, bindPasskey, bindPasswords, guardForms } from "./forms.js";

guardForms();
bindPasswords();
bindCapture();
bindPasskey();
bindCopies();

/** A button with `data-copy="ID"` copies the items of that list, one on a line, and says so. */
function bindCopies() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const items = [...document.getElementById(button.dataset.copy).children];
      await navigator.clipboard.writeText(items.map((item) => item.textContent.trim()).join("\n"));
      button.textContent = button.dataset.copied;
    });
  }
}
