// Colors and logo of an app's pages, with a preview and the contrast of the colors.

import { alertBox, field, h, replace } from "./dom.js";
import { formatNumber, t } from "./strings.js";

/** Relative luminance: WCAG 2.2. */
function luminance(color) {
  const [red, green, blue] = [1, 3, 5].map((index) => parseInt(color.slice(index, index + 2), 16) / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colors `#rrggbb`, 1…21. */
export function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const pages = { light: { page: "#ffffff", text: "#14191f" }, dark: { page: "#171c22", text: "#eef1f4" } };
const standard = "#0b6b69", maxBytes = 32 * 1024, types = ["image/png", "image/webp", "image/svg+xml"];

/**
 * The fields of the look, and a preview that follows them.
 *
 * @param {{brand?: string, brand_dark?: string, logo?: string}} defaults What pages have without a look of their own.
 */
export function branding(app, paths, make, fields, all, disabled, defaults = {}) {
  const elements = paths.filter((path) => path !== "pages.logo").map(make);
  let logo = app.settings.pages?.logo;
  const preview = h("div", { class: "previews", role: "group", "aria-label": t("apps.preview") });
  const file = h("input", { type: "file", class: "input", accept: types.join(","), disabled, onchange: async () => {
    const chosen = file.files[0];
    if (!chosen) return;
    logoField.setError(!types.includes(chosen.type) ? t("apps.logo_type") : chosen.size > maxBytes
      ? t("apps.logo_large", { size: Math.ceil(chosen.size / 1024) }) : "");
    if (!types.includes(chosen.type) || chosen.size > maxBytes) return;
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    logo = `data:${chosen.type};base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))}`;
    draw();
  } });
  const logoField = field({ label: t("apps.field.pages.logo"), help: t("apps.logo_type"), input: file });
  const remove =
    h("button", { type: "button", class: "button button-secondary button-small", disabled, onclick: () => {
      logo = undefined;
      file.value = "";
      draw();
      file.dispatchEvent(new Event("input", { bubbles: true }));
    } }, t("apps.logo_remove"));
  fields["pages.logo"] = logoField;
  all.push({ path: "pages.logo", read: () => logo });

  function draw() {
    const [own, ownDark] = ["pages.brand", "pages.brand_dark"].map((path) => fields[path]?.input.value.trim());
    // Colors belong together: one of one's own replaces both.
    const brand = own || (!ownDark && defaults.brand) || standard, brandDark = ownDark || own || defaults.brand_dark
      || brand, shownLogo = logo ?? defaults.logo;
    replace(preview, [["light", brand], ["dark", brandDark]].map(([kind, color]) => {
      const look = pages[kind];
      if (!/^#[0-9a-f]{6}$/i.test(color)) return null;
      const onPage = contrast(color, look.page), text = ["#ffffff",
        "#000000"].sort((a, b) => contrast(b, color) - contrast(a, color))[0], ofText = contrast(text, color);
      return h("figure", { class: "preview" }, h("figcaption", null, t(`apps.preview_${kind}`)),
        h("div", { class: "preview-page", style: { "background-color": look.page, color: look.text } },
          shownLogo && h("img", { src: shownLogo, alt: t("apps.logo_alt"), class: "preview-logo" }),
          h("strong", { dir: "auto" }, app.name),
          h("span", { class: "preview-button", style: { "background-color": color, color: text } },
            t("apps.preview_button"))),
        h("p", { class: "hint" }, t("apps.contrast",
          { page: formatNumber(Math.floor(onPage * 100) / 100), text: formatNumber(Math.floor(ofText * 100) / 100) })),
        onPage < 3 && alertBox("warning", t("apps.contrast_low")));
    }));
    remove.hidden = !logo;
  }

  for (const path of ["pages.brand", "pages.brand_dark"]) fields[path]?.input.addEventListener("input", draw);
  draw();
  return [...elements.slice(0, 2), logoField, h("div", null, remove), preview, ...elements.slice(2)];
}
