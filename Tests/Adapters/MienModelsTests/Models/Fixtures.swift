import Foundation
import MienModels
import MienTesting

/// The default pack's manifest from the repository, for tests to change.
struct ManifestText {
    static let repository = Repository.root
    static let data = try! Data(
        contentsOf: repository.appending(path: "Packs/mien-basic-1/manifest.json"))

    private var top: [String: Any]

    init() { top = try! JSONSerialization.jsonObject(with: Self.data) as! [String: Any] }

    /// The value at a path of keys and indices, such as `files.0.name`. Setting `nil` removes it.
    subscript(path: String) -> Any? {
        get { Self.value(top, path.split(separator: ".")[...]) }
        set {
            top =
                Self.setting(newValue, at: path.split(separator: ".")[...], in: top)
                as! [String: Any]
        }
    }

    var json: Data { try! JSONSerialization.data(withJSONObject: top) }
    func manifest() throws -> PackManifest {
        try JSONDecoder().decode(PackManifest.self, from: json)
    }

    private static func value(_ node: Any?, _ path: ArraySlice<Substring>) -> Any? {
        guard let first = path.first else { return node }
        let next =
            Int(first).flatMap { (node as? [Any])?[$0] } ?? (node as? [String: Any])?[String(first)]
        return value(next, path.dropFirst())
    }

    private static func setting(_ new: Any?, at path: ArraySlice<Substring>, in node: Any?) -> Any?
    {
        guard let first = path.first else { return new }
        if let i = Int(first), var list = node as? [Any] {
            if let changed = setting(new, at: path.dropFirst(), in: list[i]) {
                list[i] = changed
            } else {
                list.remove(at: i)
            }
            return list
        }
        var table = node as? [String: Any] ?? [:]
        table[String(first)] = setting(new, at: path.dropFirst(), in: table[String(first)])
        return table
    }
}

/// A pack that is complete and correct except for its networks, which are a few bytes each.
struct SmallPack {
    let scratch: ScratchFolder
    let folder: URL

    /// - Parameter flavour: a different value gives different bytes.
    init(
        id: String = "small-1", flavour: UInt8 = 0, in scratch: ScratchFolder? = nil,
        name: String = "pack"
    ) throws {
        self.scratch = try scratch ?? ScratchFolder()
        folder = self.scratch(name)
        var text = ManifestText()
        text["id"] = id
        let manifest = try text.manifest()
        let contents = manifest.files.map { file in
            (name: file.name, data: Data(Array(file.name.utf8) + [flavour, 0, 255]))
        }
        for (name, data) in contents {
            try self.scratch.write(data, to: "\(folder.lastPathComponent)/\(name)")
        }
        try self.scratch.write(
            try manifest.recording(contents),
            to: "\(folder.lastPathComponent)/\(PackManifest.fileName)")
    }

    var fileNames: [String] { get throws { try scratch.names(in: folder.lastPathComponent) } }
}

/// Runs a program until it ends.
/// - Returns: its output.
@discardableResult
func run(_ program: String, _ arguments: String...) async throws -> String {
    try await ProgramRun.output(of: program, arguments)
}
