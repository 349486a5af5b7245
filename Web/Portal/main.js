// Starts the portal: loads the page modules, which register their addresses, and draws the shell.

import { startShell } from "./shell.js";

/** A module that cannot be loaded costs its pages, not the portal. */
const modules = [
  "./account.js", "./administrators.js", "./home.js", "./apps.js", "./face-groups.js", "./registration.js",
  "./users.js", "./organizations.js", "./reviews.js",
  "./audit.js", "./settings.js",
  "./journeys/index.js",
];

for (const [index, loaded] of (await Promise.allSettled(modules.map((module) => import(module)))).entries()) {
  if (loaded.status === "rejected") console.warn(modules[index], loaded.reason);
}
await startShell();
