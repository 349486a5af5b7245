import Foundation
import MienCore
import MienTesting

@testable import MienServer

/// The parsed docs/openapi.json.
enum APIDocument {
    static let repository = Repository.root
    static let file = repository.appending(path: "docs/openapi.json")

    static func read() throws -> JSONValue {
        try JSONText.parse(
            [UInt8](Data(contentsOf: file)), limits: .init(maxBytes: 1 << 20, maxDepth: 64))
    }

    static func schema(_ name: String) throws -> JSONValue {
        guard let schema = try read()["components"]?["schemas"]?[name] else {
            throw Missing(description: "no schema \(name)")
        }
        return schema
    }

    /// Returns the operations by name, such as `GET /v1/apps/{app}`.
    static func operations() throws -> [String: JSONValue] {
        var operations: [String: JSONValue] = [:]
        for (path, item) in try read()["paths"]?.objectValue ?? [:] {
            for (method, operation) in item.objectValue ?? [:]
            where !["parameters", "servers"].contains(method) {
                operations["\(method.uppercased()) \(path)"] = operation
            }
        }
        return operations
    }

    struct Missing: Error, CustomStringConvertible { let description: String }
}

extension JSONValue {
    /// This object and all objects nested in it.
    var objects: [[String: JSONValue]] {
        switch self {
        case .object(let members): [members] + members.values.flatMap(\.objects)
        case .array(let values): values.flatMap(\.objects)
        case .null, .bool, .number, .string: []
        }
    }

    var names: Set<String> { Set(objectValue?.keys.map(\.self) ?? []) }
}
