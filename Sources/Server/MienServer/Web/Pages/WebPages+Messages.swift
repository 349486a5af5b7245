package import Hummingbird

/// Messages of other parts of the server: pages behind links in emails, and faulty requests.
extension WebPages: MessagePages {
    package func response(_ message: MessagePage, to request: Request) -> Response {
        let view = view(request, app: nil), texts = view.texts
        let facts: [PageValue] = message.facts.map { fact in
            let value =
                fact.value.hasPrefix("text:") ? texts(String(fact.value.dropFirst(5))) : fact.value
            return ["name": .text(texts(fact.name)), "value": .text(value)]
        }
        return renderer.response(
            WebPage(
                template: "message", title: texts("\(message.name)_title"),
                values: [
                    "text": .text(texts("\(message.name)_text")),
                    "facts": .list(facts), "has_facts": .flag(!facts.isEmpty),
                    "detail": .optional(message.detail),
                    "form": message.form.map {
                        [
                            "button": .text(texts($0.button)), "name": .text($0.field.name),
                            "value": .text($0.field.value),
                        ]
                    } ?? false,
                ], status: message.status), for: view)
    }
}
