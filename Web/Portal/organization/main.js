// Starts the pages at /organization: loads the page modules, which register their addresses, and draws the frame.

import "./home.js";
import "./members.js";
import "./member.js";
import { startFrame } from "./frame.js";

await startFrame();
