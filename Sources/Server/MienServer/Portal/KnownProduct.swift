internal import Foundation
package import MienCore

/// Software that people connect, with the settings of its app. `Web/Portal/products.json` lists them for
/// the portal, the command line, and the tests of `docs/connect`.
package struct KnownProduct: Sendable, Equatable {
    /// Stands for the product's address in `settings`.
    private static let place = "{url}"

    /// Every product, by its ID.
    package static let all: [KnownProduct] = {
        guard let list = try? JSONText.parse(PortalFiles.products).arrayValue else {
            preconditionFailure("Web/Portal/products.json is not a JSON array.")
        }
        return list.map { KnownProduct($0) }
    }()

    /// The word that names it, such as `pgadmin`.
    package let id: String
    package let name: String
    /// An example of its address; `nil` for a product to which no browser returns.
    package let exampleURL: String?
    private let template: JSONValue

    private init(_ value: JSONValue) {
        guard let id = value["id"]?.stringValue, let name = value["name"]?.stringValue,
            let template = value["settings"], template.objectValue != nil
        else { preconditionFailure("Web/Portal/products.json: a product lacks a member.") }
        (self.id, self.name, self.template) = (id, name, template)
        exampleURL = value["url"]?.stringValue
    }

    /// - Returns: The settings of an app of the product at `url`, which is an origin or a folder of one.
    package func settings(at url: String?) -> JSONValue {
        var url = url ?? ""
        while url.hasSuffix("/") { url.removeLast() }
        return Self.fill(template, with: url)
    }

    private static func fill(_ value: JSONValue, with url: String) -> JSONValue {
        switch value {
        case .string(let text): .string(text.replacing(place, with: url))
        case .array(let values): .array(values.map { fill($0, with: url) })
        case .object(let members): .object(members.mapValues { fill($0, with: url) })
        case .null, .bool, .number: value
        }
    }
}
