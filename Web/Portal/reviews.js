// Reviews: unclear identities, and faces that look alike.

import { at, blobAddress, call, download, may, me } from "./api.js";
import { actionButton, alertBox, confirmDialog, errorText, facts, h, pageHead, replace, section, shortID, showDialog,
  tag, toast } from "./dom.js";
import { pagedList } from "./list.js";
import { go, route } from "./router.js";
import { formatList, formatNumber, formatTime, has, named, t } from "./strings.js";
import { checkList } from "./users.js";

const waiting = (one) => one.decisions.length ? tag(t("reviews.second"), "wait") : t("reviews.first");

route("/admin/reviews", (params, root, { signal }) => {
  replace(root, pageHead(t("reviews.title"), { lead: t("reviews.lead") }),
    section(t("reviews.identities"), {}, pagedList({
      signal, caption: t("reviews.identities"), empty: t("reviews.none"),
      rowLink: (one) => `/admin/reviews/identities/${encodeURIComponent(one.id)}`,
      load: (cursor, asked) =>
        call("GET", "/v1/verifications/cases", { query: { after: cursor }, signal: asked.signal }),
      columns: [
        { title: t("reviews.case"), value: (one) => shortID(one.id) },
        { title: t("reviews.opened"), kind: "time", value: (one) => formatTime(one.opened_at) },
        { title: t("reviews.app"), kind: "mono", value: (one) => one.app_id },
        { title: t("reviews.waiting"), value: waiting },
      ],
    })),
    section(t("reviews.duplicates"), {}, pagedList({
      signal, caption: t("reviews.duplicates"), empty: t("reviews.none"),
      rowLink: (one) => `/admin/reviews/faces/${encodeURIComponent(one.id)}`,
      load: (cursor, asked) => call("GET", "/v1/faces/duplicates", { query: { after: cursor }, signal: asked.signal }),
      columns: [
        { title: t("reviews.case"), value: (one) => shortID(one.id) },
        { title: t("reviews.opened"), kind: "time", value: (one) => formatTime(one.opened_at) },
        { title: t("reviews.app"), kind: "mono", value: (one) => one.app_id },
        { title: t("reviews.score"), kind: "number", value: (one) => formatNumber(one.score) },
        { title: t("reviews.waiting"), value: waiting },
      ],
    })), readable(signal));
});

/** The documents that the server reads, by the table of the server. */
function readable(signal) {
  const list = h("div", { class: "stack" }, h("p", { class: "muted" }, t("shell.loading")));
  call("GET", "/v1/verifications/documents", { signal }).then(({ documents }) => {
    const parts = (side) => side && formatList(side.map((part) => named("reviews.part", part)));
    replace(list, documents.length ? documents.map((one) => facts([
      [t("reviews.document"), named("reviews.type", one.documentType)],
      [t("reviews.front"), parts(one.front)], [t("reviews.back"), parts(one.back)],
      [t("reviews.issuers"), h("details", null, h("summary", null, formatNumber(one.countries.length)),
        formatList(one.countries))],
    ])) : h("p", { class: "empty" }, t("reviews.no_documents")));
  }, (error) => signal.aborted || replace(list, alertBox("error", errorText(error))));
  return section(t("reviews.documents"), { lead: t("reviews.documents_lead") }, list);
}

// MARK: Identities

route("/admin/reviews/identities/:id", async ({ id }, root, { signal }) => {
  const { case: found, attempt, content, comparison, images } =
    await call("GET", at`/v1/verifications/cases/${id}`, { signal });
  const pictures = h("div", { class: "pictures" });
  replace(root,
    pageHead(t("reviews.review"), { back: { href: "/admin/reviews", text: t("reviews.title") },
      lead: `${formatTime(found.opened_at)} · ${found.app_id}` }),
    attempt.simulated && alertBox("warning", t("reviews.simulated")),
    found.needs_second_reviewer && alertBox("info", t("reviews.needs_second")),
    h("div", { class: "sides" },
      h("div", { class: "stack" },
        images.length > 0 && section(t("reviews.pictures"), { lead: t("reviews.pictures_lead") }, pictures),
        section(t("reviews.content"), {}, content && Object.keys(content).length
          ? facts(Object.entries(content).sort().map(([key, value]) => [named("reviews.stated", key), value]))
            : h("p", { class: "empty" }, t("reviews.erased"))),
        !images.length && h("p", { class: "muted small" }, t("reviews.no_pictures")),
        comparison?.sources.length > 0 && section(t("reviews.compared"), {}, comparedFields(comparison.sources))),
      h("div", { class: "stack" },
        section(t("reviews.checks"), {}, checkList(attempt.checks),
          comparison?.reasons.length > 0 && [h("h3", null, t("reviews.reasons")),
            h("ul", null, comparison.reasons.map((one) => h("li", null, reasonText(one))))]),
        section(t("reviews.evidence"), {}, facts([
          [t("reviews.recommendation"),
            attempt.recommendation && named("users.recommendation", attempt.recommendation)],
          [t("reviews.sources"), attempt.sources && formatList(attempt.sources)],
          [t("reviews.rules"), attempt.rules_version],
          [t("reviews.user"), may("readUsers") ? h("a", { href: `/admin/users/${encodeURIComponent(found.user)}` },
            shortID(found.user)) : shortID(found.user)],
        ]), attempt.recommendation && h("div", { class: "actions" }, actionButton(t("reviews.download_evidence"), () =>
          download(at`/v1/users/${found.user}/verification/attempts/${found.attempt}/evidence`,
            `${found.attempt}.jws`)))))),
    decisions(found, ["accept", "reject", "askAgain"], at`/v1/verifications/cases/${id}/decision`));
  for (const role of images) {
    const figure = h("figure", { class: "picture" }, h("figcaption", null, named("reviews.role", role)),
      h("p", { class: "muted" }, t("shell.loading")));
    pictures.append(figure);
    show(figure, role, at`/v1/verifications/cases/${id}/images/${role}`, signal);
  }
});

/** A row for each field, a column for each source. */
function comparedFields(sources) {
  const fields = [...new Set(sources.flatMap((one) => Object.keys(one.fields)))].sort();
  const cell = (one, key) => h("td", { dir: "auto" }, one.fields[key] ?? "",
    one.unsure?.includes(key) && [" ", tag(t("reviews.unsure"), "wait")]);
  return h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": t("reviews.compared") },
    h("table", { class: "table" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, t("reviews.field")),
        sources.map((one) => h("th", { scope: "col" }, named("reviews.source", one.name))))),
      h("tbody", null, fields.map((key) => h("tr", null, h("th", { scope: "row" }, named("reviews.field", key)),
        sources.map((one) => cell(one, key)))))));
}

function reasonText({ check, detail, result, sources, score, minimum }) {
  const text = t("reviews.reason", { check: named("reviews.short", check), detail: named("reviews.detail", detail),
    result: named("reviews.result", result) });
  const more = [
    score !== undefined && t("reviews.reason_score", { score: formatNumber(score), minimum: formatNumber(minimum) }),
    sources.length > 0 && formatList(sources.map((one) => named("reviews.source", one))),
  ].filter(Boolean);
  return more.length ? `${text} (${more.join("; ")})` : text;
}

async function show(figure, role, path, signal) {
  try {
    const address = await blobAddress(path, { signal }), name = named("reviews.role", role);
    signal.addEventListener("abort", () => URL.revokeObjectURL(address));
    const picture = () => h("img", { src: address, alt: t("reviews.picture_alt", { role: name }) });
    figure.lastChild.replaceWith(
      h("button", { type: "button", class: "picture-button", "aria-label": t("reviews.enlarge", { role: name }),
        onclick: () => showDialog(name, h("div", { class: "picture-large" }, picture())) }, picture()));
  } catch (error) {
    if (!signal.aborted) figure.lastChild.replaceWith(alertBox("error", errorText(error)));
  }
}

// MARK: Duplicate faces

route("/admin/reviews/faces/:id", async ({ id }, root, { signal }) => {
  const { case: found, accounts } = await call("GET", at`/v1/faces/duplicates/${id}`, { signal });
  replace(root,
    pageHead(t("reviews.duplicate"), { back: { href: "/admin/reviews", text: t("reviews.title") },
      lead: `${formatTime(found.opened_at)} · ${found.app_id}` }),
    found.needs_second_reviewer && alertBox("info", t("reviews.needs_second")),
    h("p", null,
      t("reviews.score_words", { score: found.score, pairs: formatNumber(Math.round(10 ** (found.score / 12))) })),
    h("div", { class: "cards" },
      accounts.map((one, index) => section(t(index ? "reviews.earlier" : "reviews.later"), {}, facts([
        [t("reviews.user"), may("readUsers")
          ? h("a", { href: `/admin/users/${encodeURIComponent(one.user)}` }, shortID(one.user)) : shortID(one.user)],
        [t("reviews.state"), named("users.state", one.state)], [t("reviews.created"), formatTime(one.created_at)],
        [t("reviews.registered"), formatTime(one.face_registered_at)],
        [t("reviews.level"), named("users.method", one.verification_method)],
      ])))),
    decisions(found, ["distinct", "duplicate"], at`/v1/faces/duplicates/${id}/decision`));
});

// MARK: Decisions

function decisions(found, choices, path) {
  const label = (choice) => choice === "duplicate" ? t("reviews.same") : t(`reviews.${choice}`);
  const decide = async (choice) => {
    if (!(await confirmDialog({ title: t(`reviews.sure.${choice}`), text: t(`reviews.text.${choice}`),
        action: label(choice), danger: choice === "reject" })))
      return;
    const outcome = await call("POST", path, { body: { decision: choice } });
    toast(outcome.decision
      ? t("reviews.done", { decision: named("reviews.decision", outcome.decision) }) : t("reviews.done_first"));
    await go("/admin/reviews");
  };
  return section(t("reviews.decision"), {},
    found.decisions.length > 0 && h("div", null, h("h3", null, t("reviews.decisions")),
      h("ul", null, found.decisions.map((one) =>
        h("li", null,
          t("reviews.by", { decision: named("reviews.decision", one.decision),
            reviewer: one.reviewer === me?.id ? t("reviews.you") : one.reviewer, time: formatTime(one.at) }))))),
    found.closed_at ? h("p", null, t("reviews.closed")) : h("div", { class: "actions" }, choices.map((choice, index) =>
      actionButton(label(choice), () => decide(choice),
        { kind: choice === "reject" ? "danger" : index ? "secondary" : "primary" }))));
}
