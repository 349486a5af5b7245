// What is around every page: the header, and who is signed in. And what the pages share.

import { ApiError, at, call } from "../api.js";
import { addRegions, attempt, confirmDialog, h, replace, select, tag, textInput } from "../dom.js";
import { current, keep, languages } from "../languages.js";
import { mayLeave, render, start } from "../router.js";
import { has, t } from "../strings.js";

const api = "/organization/api/v1";

/**
 * The signed-in user: `{id, name, organizations, invitations}`; null before the first page.
 *
 * @type {{id: string, name: string, organizations: any[], invitations: any[]} | null}
 */
export let visitor = null;

/** The role of an organization administrator. */
export const adminRole = "admin";

/** Reads who is signed in, with the organizations and invitations of today. */
export async function loadVisitor() {
  visitor = await call("GET", `${api}/me`);
  return visitor;
}

/** Builds a path of the API from a template: path`/organizations/${id}` encodes each value. */
export function path(parts, ...values) { return api + at(parts, ...values); }

const main = h("main", { id: "main", tabindex: "-1" });
const account = h("div", { class: "header-account" });

/** The choice of a language, in each language's own name. The page is loaded again with it. */
function languageChoice() {
  const choice =
    select(languages.map((one) => [one.tag, one.name]), current.tag, { class: "input language", onchange: async () => {
      if (!(await mayLeave())) { choice.value = current.tag; return; }
      keep(choice.value);
      location.reload();
    } });
  for (const option of choice.options) option.lang = option.value;
  return h("label", { class: "language-choice" }, h("span", null, t("shell.language")), choice);
}

export async function startFrame() {
  document.documentElement.lang = current.tag;
  document.documentElement.dir = current.direction;
  document.body.append(
    h("a", { class: "skip-link", href: "#main",
      onclick: (event) => { event.preventDefault(); (main.querySelector("h1") ?? main).focus(); } }, t("shell.skip")),
    h("header", { class: "header" },
      h("a", { class: "header-name", href: "/organization" },
        h("img", { src: "/organization/assets/logo.svg", alt: "", width: "28", height: "28" }),
        t("organization.product")), account),
    h("div", { class: "columns" }, main), h("footer", { class: "footer" }, languageChoice()));
  addRegions();
  // The session ended: its page signs in and comes back.
  addEventListener("mien:signed-out", () => location.reload());
  start(main, before);
  await render();
}

/** Reads the user before each page, because roles change while pages are open. */
async function before() {
  await loadVisitor();
  replace(account, h("a", { class: "header-me", href: "/account", dir: "auto" }, visitor.name),
    h("button", { type: "button", class: "button button-quiet button-small", onclick: signOut }, t("shell.sign_out")));
  return null;
}

async function signOut() {
  if (!(await mayLeave())) return;
  if (await attempt(() => call("DELETE", `${api}/session`))) location.assign("/account");
}

/** The user's membership in an organization; undefined for an organization of others. */
export function membership(id) { return visitor.organizations.find((one) => one.id === id); }

/**
 * Runs a change. If it needs a newer sign-in, the page signs in again and comes back.
 *
 * @returns {Promise<any>} What the change returned; undefined if the person did not sign in.
 */
export async function freshly(change) {
  try { return await change(); } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "insufficient_user_authentication") throw error;
  }
  if (await confirmDialog(
      { title: t("organization.again_title"), text: t("organization.again_text"), action: t("organization.again") })) {
      location.assign(`/organization/sign-in?back=${encodeURIComponent(location.pathname)}`);
    }
  return undefined;
}

/** How lists name a member. */
export function nameOf(member) { return member.username ?? member.email ?? member.id; }

/** The roles of a member as tags; the administrator's first. */
export function roleTags(roles) {
  if (!roles.length) return t("organization.role_none");
  const sorted = [...roles].sort((a, b) => Number(b === adminRole) - Number(a === adminRole));
  return sorted.map((role, index) => [index > 0 && " ", tag(roleName(role), role === adminRole ? "good" : "")]);
}

export function roleName(role) { return has(`organization.role.${role}`) ? t(`organization.role.${role}`) : role; }

/**
 * Inputs for roles: whether the person is an administrator, and the apps' own words.
 *
 * @param {string[]} roles
 * @returns {{admin: HTMLInputElement, others: HTMLInputElement, value: () => string[]}}
 */
export function roleInputs(roles) {
  const admin = h("input", { type: "checkbox", name: "admin", checked: roles.includes(adminRole) });
  const others =
    textInput({ name: "roles", value: roles.filter((role) => role !== adminRole).join(" "), autocapitalize: "none" });
  return { admin, others, value: () => [...(admin.checked ? [adminRole] : []),
    ...others.value.split(/[\s,]+/).filter((role) => role && role !== adminRole)] };
}
