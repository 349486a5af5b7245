// The account pages.

import { bindCapture, bindDialogs, bindPasskey, bindPasswords, guardForms } from "./forms.js";

guardForms();
bindDialogs();
bindPasswords();
bindCapture();
bindPasskey();
bindCopies();

/** A button with `data-copy="ID"` copies that element's text, and says so. */
function bindCopies() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const list = document.getElementById(button.dataset.copy), items = [...list.children];
      await navigator.clipboard.writeText((items.length ? items : [list]).map((item) => item.textContent.trim()).join("\n"));
      if (button.dataset.copied) button.textContent = button.dataset.copied;
    });
  }
}
