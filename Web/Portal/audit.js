// The audit log: search, verification, export.

import { call, listAll, may } from "./api.js";
import { actionButton, alertBox, copyable, field, h, orWithout, pageHead, replace, section, select, shortID, textInput,
  toast } from "./dom.js";
import { pagedList } from "./list.js";
import { route, setQuery } from "./router.js";
import { detailText, formatInstant, t } from "./strings.js";

/** A time of the person's clock as `datetime-local` has it, in milliseconds. */
function time(text) { return text ? new Date(text).getTime() : undefined; }

route("/admin/audit", async (params, root, { query, signal }) => {
  const [events, administrators] = await Promise.all([
    call("GET", "/v1/audit/events", { signal }),
    may("readAdministrators") ? orWithout(listAll("/v1/administrators", { signal }), []) : [],
  ]);
  const names = new Map(administrators.map((one) => [one.id, one.name]));
  const user = field({ label: t("audit.search_user"), help: t("audit.search_user_help"),
    input: textInput({ type: "search", value: query.get("user") ?? "" }) });
  const event = select([["", t("audit.any")], ...events.items.map((one) => [one, one])], query.get("event") ?? "");
  const by = select([["", t("audit.any")], ...administrators.map((one) => [one.id, one.name])],
    query.get("administrator") ?? "");
  const from = textInput({ type: "datetime-local", value: query.get("from") ?? "" }),
    until = textInput({ type: "datetime-local", value: query.get("until") ?? "" });
  const order = select([["newest", t("audit.newest")], ["oldest", t("audit.oldest")]],
    query.get("order") === "oldest" ? "oldest" : "newest");

  async function load(cursor, { signal }) {
    user.setError("");
    let id = user.input.value.trim();
    if (id && !id.startsWith("usr_")) {
      const found = may("readUsers")
        ? (await call("GET", "/v1/users", { query: { identifier: id }, signal })).items[0] : null;
      if (!found) { user.setError(t("audit.no_such_user")); return { items: [] }; }
      id = found.id;
    }
    // A name stays out of the address; an ID may be in it.
    setQuery({ user: id, event: event.value, administrator: by.value, from: from.value, until: until.value,
      order: order.value === "oldest" ? "oldest" : "" });
    return call("GET", "/v1/audit",
      { signal, query: { after: cursor, user: id, event: event.value, administrator: by.value, from: time(from.value),
        until: time(until.value), order: order.value } });
  }

  root.classList.add("page-full");
  replace(root, pageHead(t("audit.title"), { lead: t("audit.lead") }), pagedList({
    signal, load, caption: t("audit.title"), empty: t("audit.none"),
    filters: [user, field({ label: t("audit.search_event"), input: event }),
      administrators.length ? field({ label: t("audit.search_by"), input: by }) : null,
      field({ label: t("audit.from"), input: from }), field({ label: t("audit.until"), input: until }),
      field({ label: t("audit.order"), input: order })].filter(Boolean),
    columns: [
      { title: t("audit.number"), kind: "mono", value: (one) => String(one.number) },
      { title: t("audit.time"), kind: "time", value: (one) => formatInstant(one.at) },
      { title: t("audit.event"), kind: "mono", value: (one) => one.event },
      { title: t("audit.actor"),
        value: (one) => names.get(one.actor) ?? (/^\w{3}_/.test(one.actor) ? shortID(one.actor) : one.actor) },
      { title: t("audit.user"),
        value: (one) => one.user_id && (may("readUsers") ? h("a",
          { href: `/admin/users/${encodeURIComponent(one.user_id)}` }, shortID(one.user_id)) : shortID(one.user_id)) },
      { title: t("audit.app"), kind: "mono", value: (one) => one.app_id },
      { title: t("audit.detail"), kind: "detail", value: (one) => detailText(one.detail) },
    ],
  }), h("div", { class: "cards" }, chain(), exportSection(signal)));
});

function chain() {
  const result = h("div", { role: "status", class: "stack" });
  return section(t("audit.chain"), { lead: t("audit.chain_lead") },
    h("div", { class: "actions" }, actionButton(t("audit.verify"), async () => {
      const verdict = await call("GET", "/v1/audit/verify");
      replace(result, verdict.is_whole
        ? [alertBox("success", t("audit.whole", { count: verdict.entries })), h("p", null, t("audit.last_hash")),
          copyable(verdict.last_hash, t("audit.hash")),
          verdict.start && h("p", { class: "muted" }, t("audit.pruned", verdict.start))]
        : alertBox("error", t("audit.broken", { number: verdict.broken_at })));
    })), result);
}

function exportSection(signal) {
  const progress = h("p", { role: "status", class: "muted" });
  return section(t("audit.export"), { lead: t("audit.export_lead") },
    h("div", { class: "actions" }, actionButton(t("audit.export_action"), async () => {
      // The file of `mien admin audit export`: docs/spec/audit-log.md.
      const lines = [];
      let end = null;
      for (;;) {
        const segment = await call("GET", "/v1/audit/segment", { query: { after: end?.number }, signal });
        if (!end) lines.push(JSON.stringify({ format: "mien/v1/audit-export", start: segment.start }));
        end ??= segment.start;
        if (!segment.entries.length) break;
        for (const entry of segment.entries) lines.push(JSON.stringify(entry));
        end = { number: segment.entries.at(-1).number, hash: segment.entries.at(-1).hash };
        progress.textContent = t("audit.exporting", { count: lines.length - 1 });
      }
      const count = lines.length - 1;
      lines.push(JSON.stringify({ end }));
      const link =
        h("a", { href: URL.createObjectURL(new Blob([lines.join("\n"), "\n"], { type: "application/jsonl" })),
          download: "mien-audit.jsonl" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      progress.textContent = t("audit.exported", { count });
      toast(progress.textContent);
    })), progress);
}
