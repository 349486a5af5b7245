internal import MienCore

/// An input of a step's form, from its part of the option's JSON schema.
struct StepField {
    let name: String
    let schema: JSONValue
    let isRequired: Bool
    /// Whether it is the first of its form.
    let isFirst: Bool
    /// Whether the form signs people in, so that a password in it is one that they have.
    let isSignIn: Bool
    /// The name that was entered before.
    let hint: String?
    /// The text that was entered into this field before.
    let typed: String?
    /// Whether what was entered is at fault.
    let isFaulty: Bool
    /// Whether the form has a field for a new password, so that nobody signs in with it.
    var setsPassword = false

    private enum Kind { case text, number, password, code, checkbox }

    private var format: String { schema["format"]?.stringValue ?? "" }

    private var kind: Kind {
        switch schema["type"]?.stringValue {
        case "boolean": .checkbox
        case "number": .number
        default:
            switch format {
            case "code": .code
            case "password": .password
            // Sensitive text without a format may be a secret.
            case "": schema["writeOnly"]?.boolValue == true ? .password : .text
            default: .text
            }
        }
    }

    /// The type of the input, and what the browser fills in: HTML, "autofill detail tokens".
    private var input: (type: String, autocomplete: String) {
        switch (kind, format) {
        case (.number, _): ("number", "off")
        case (.password, "password") where isSignIn && schema["autocomplete"] == nil:
            ("password", "current-password")
        case (.password, "password"): ("password", "new-password")
        case (.password, _): ("password", "off")
        case (_, "username") where setsPassword || schema["autocomplete"] == "username":
            ("text", "username")
        case (_, "username"): ("text", "username webauthn")
        case (_, "email"): ("email", "email")
        case (_, "phone"): ("tel", "tel")
        case (_, "date"): ("date", "bday")
        case (_, "code"): ("text", "one-time-code")
        default: ("text", "off")
        }
    }

    func values(_ texts: PageTexts) -> PageValue {
        let isName = format == "username"
        func count(_ key: String, above: Double) -> PageValue {
            .optional(
                schema[key]?.numberValue.flatMap {
                    $0 > above && $0 < 1e9 ? "\(Int($0))" : nil
                })
        }
        return [
            "name": .text("f_\(name)"), "id": .text("f-\(name)"), "title": .text(title(texts)),
            "type": .text(input.type), "autocomplete": .text(input.autocomplete),
            "is_checkbox": .flag(kind == .checkbox), "is_number": .flag(kind == .number),
            "is_code": .flag(kind == .code), "is_password": .flag(kind == .password),
            "is_plain": .flag(kind == .text || kind == .number),
            "required": .flag(isRequired), "optional": .flag(!isRequired),
            "max": count("maxLength", above: 0), "min": count("minLength", above: 1),
            "value": .text(isName ? hint ?? "" : kind == .text ? typed ?? "" : ""),
            "autofocus": .flag(isFirst && !(isName && hint != nil)), "fault": .flag(isFaulty),
        ]
    }

    private func title(_ texts: PageTexts) -> String {
        let own = schema["title"]?.stringValue ?? name
        // The format's own titles are English; those of a definition are its author's.
        let keys = [
            "User name": "field_username", "User name or email address": "field_identifier",
            "Password": "field_password", "Code": "field_code",
            "Email address": "field_email",
        ]
        return keys[own].map { texts($0) } ?? own
    }
}
