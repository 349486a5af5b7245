// What to do on a new server, with what is done already.

import { call, may } from "./api.js";
import { actionButton, copyable, h, replace, section, toast } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./strings.js";

const place = "mien.first-steps";
const isHidden = () => { try { return localStorage.getItem(place) === "hidden"; } catch { return false; } };

/** Each with what tells that it is done. A step that the role may not do is left out. */
const steps = [
  { name: "app", href: "/admin/apps/new", permission: "changeConfiguration",
    isDone: ({ apps }) => apps.some((one) => one.id !== "default_application") },
  { name: "journey", href: "/admin/journeys", permission: "changeConfiguration",
    isDone: ({ journeys }) => areChanged(journeys) },
  { name: "user", href: "/admin/users/new", permission: "changeUsers", isDone: ({ users }) => users.length > 0 },
  { name: "administrator", href: "/admin/administrators", permission: "changeAdministrators",
    isDone: ({ administrators, invitations }) => administrators.length + invitations.length > 1 },
  { name: "backup", command: "mien backup ~/mien-backup", permission: "changeMasterKeys",
    isDone: ({ backup }) => backup },
];

/** Whether somebody has saved a journey after those that the server's first start brought. */
function areChanged(journeys) {
  const times = journeys.map((one) => one.updated_at);
  return times.length > 0 && Math.max(...times) - Math.min(...times) > 60_000;
}

/** Where each fact comes from, and the permission that reading it needs. */
const sources = {
  apps: ["/v1/apps", "readConfiguration"], journeys: ["/v1/journeys", "readConfiguration"],
  users: ["/v1/users", "readUsers"],
  administrators: ["/v1/administrators", "readAdministrators"],
  invitations: ["/v1/administrators/invitations", "readAdministrators"], metrics: ["/v1/metrics", "readMetrics"],
};

/** Draws the steps into a node, unless all are done or the person has hidden them. */
export async function firstSteps(node, signal) {
  const own = steps.filter((step) => may(step.permission));
  if (!own.length || isHidden()) return;
  const [apps, journeys, users, administrators, invitations, metrics] = await Promise.all(
    Object.values(sources)
      .map(async ([path, permission]) => may(permission) ? (await call("GET", path, { signal })).items : []));
  const backup = (metrics.find((one) => one.name === "mien_backup_timestamp_seconds")?.series[0]?.value ?? 0) > 0;
  const known = { apps, journeys, users, administrators, invitations, backup },
    isDone = own.map((step) => step.isDone(known));
  if (isDone.every(Boolean)) return;
  replace(node,
    section(t("home.first_title"), { lead: t("home.first_lead"), actions: [actionButton(t("home.first_hide"), () => {
      try { localStorage.setItem(place, "hidden"); } catch { /* They are hidden until the page is loaded again. */ }
      replace(node);
      toast(t("home.first_hidden"));
      document.querySelector("main h1")?.focus();
    }, { kind: "quiet" })] },
    h("ol", { class: "started" }, own.map((step, index) => draw(step, index + 1, isDone[index])))));
}

function draw({ name, href, command }, number, isDone) {
  return h("li", { class: isDone ? "started-done" : null },
    h("span", { class: "started-sign" },
      isDone ? [icon("done"), h("span", { class: "visually-hidden" }, t("home.first_done"))] : String(number)),
    h("div", { class: "started-text" }, h("strong", null, t(`home.first_${name}`)),
      !isDone && h("span", { class: "muted small" }, t(`home.first_${name}_text`)),
      !isDone && command && h("div", null, copyable(command, t(`home.first_${name}`)))),
    !isDone && href && h("a", { class: "button button-secondary button-small", href }, t(`home.first_${name}_open`)));
}
