// The sign-in pages.

import { bindCapture, bindPasskey, bindPasswords, guardForms, poll } from "./forms.js";

guardForms();
bindPasswords();
bindCapture();
bindPasskey();
poll();
