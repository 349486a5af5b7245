internal import MienCore

/// The list of a backup's files. Readable without the passphrase; authenticated with it.
/// `docs/spec/backup.md` describes the format.
public struct BackupManifest: Sendable, Hashable {
    /// A sealed file.
    public struct File: Sendable, Hashable {
        /// One of `database`, `master.key`, `mien.yaml`, or `setting-` and a setting's key.
        public let name: String
        /// The size of the sealed file in bytes.
        public let size: Int
        /// SHA-256 of the sealed file. It reveals nothing about its content.
        public let sha256: [UInt8]

        /// The file's name in the backup's folder.
        var fileName: String { name + BackupManifest.suffix }
    }

    /// How the passphrase becomes a key.
    struct Stretching: Sendable, Hashable {
        /// Memory in KiB, passes, and lanes of Argon2id.
        var memory = 262_144, passes = 3, lanes = 1
        var salt: [UInt8]

        /// The values that a reader accepts: a manifest must not make it use any amount of memory or time.
        static let memories = 8_192...1_048_576, passCounts = 1...16, laneCounts = 1...4
        static let saltSize = 16
    }

    static let format = "mien/v1/backup", fileName = "manifest.json", suffix = ".sealed"
    static let maxBytes = 65_536, maxFiles = 64, maxFileBytes = 1 << 46

    /// When the backup began, in milliseconds since 1970.
    public var createdAt: Int64
    /// The version of the program that made it.
    public var program: String
    /// The newest migration of the database.
    public var schema: String
    /// The last entry of the audit log, and its hash.
    public var auditNumber: Int64
    public var auditHash: [UInt8]
    var stretching: Stretching
    public var files: [File]
    var code: [UInt8] = []

    /// The bytes that the code is computed of.
    var authenticated: [UInt8] {
        var copy = self
        copy.code = []
        return copy.bytes
    }

    var bytes: [UInt8] { Array((JSONText.write(json, pretty: true) + "\n").utf8) }

    private var json: JSONValue {
        [
            "format": .string(Self.format), "created_at": .number(Double(createdAt)),
            "program": .string(program), "schema": .string(schema),
            "audit": [
                "number": .number(Double(auditNumber)),
                "hash": .string(Base64URL.encode(auditHash)),
            ],
            "argon2id": [
                "memory_kib": .number(Double(stretching.memory)),
                "passes": .number(Double(stretching.passes)),
                "lanes": .number(Double(stretching.lanes)),
                "salt": .string(Base64URL.encode(stretching.salt)),
            ],
            "files": .array(
                files.map {
                    [
                        "name": .string($0.name), "size": .number(Double($0.size)),
                        "sha256": .string(Base64URL.encode($0.sha256)),
                    ]
                }),
            "hmac": .string(Base64URL.encode(code)),
        ]
    }
}

extension BackupManifest {
    /// Reads a manifest. Nothing in it is authentic before its code is checked.
    ///
    /// - Throws: ``BackupError`` `.format`.
    package init(bytes: [UInt8]) throws(BackupError) {
        let value: JSONValue
        do {
            value = try JSONText.parse(bytes, limits: .init(maxBytes: Self.maxBytes, maxDepth: 4))
        } catch {
            throw BackupError(.format, "\(Self.fileName) is not a manifest: \(error)")
        }
        let members = try Members(
            value, "it",
            ["format", "created_at", "program", "schema", "audit", "argon2id", "files", "hmac"])
        let format = try members.text("format")
        guard format == Self.format else {
            throw BackupError(
                .format,
                "\(Self.fileName) has the format “\(format.prefix(40))”, which this version does not know; use the version that wrote it, or a newer one"
            )
        }
        createdAt = Int64(try members.integer("created_at", 0...Int(1) << 52))
        (program, schema) = (try members.text("program"), try members.text("schema"))
        let audit = try Members(members.value("audit"), "audit", ["number", "hash"])
        auditNumber = Int64(try audit.integer("number", 0...Int(1) << 52))
        auditHash = try audit.bytes("hash", 32)
        let stretching = try Members(
            members.value("argon2id"), "argon2id", ["memory_kib", "passes", "lanes", "salt"])
        self.stretching = Stretching(
            memory: try stretching.integer("memory_kib", Stretching.memories),
            passes: try stretching.integer("passes", Stretching.passCounts),
            lanes: try stretching.integer("lanes", Stretching.laneCounts),
            salt: try stretching.bytes("salt", Stretching.saltSize))
        guard let listed = try members.value("files").arrayValue, listed.count <= Self.maxFiles
        else { throw Members.malformed("files") }
        files = []
        for value in listed {
            let file = try Members(value, "files", ["name", "size", "sha256"])
            let name = try file.text("name")
            guard Self.isName(name), !files.contains(where: { $0.name == name }) else {
                throw Members.malformed("files")
            }
            files.append(
                File(
                    name: name, size: try file.integer("size", 0...Self.maxFileBytes),
                    sha256: try file.bytes("sha256", 32)))
        }
        code = try members.bytes("hmac", 32)
    }

    /// Whether a file may have this name: it becomes part of a path.
    static func isName(_ name: String) -> Bool {
        if ["database", "master.key", "mien.yaml"].contains(name) { return true }
        let key = name.dropFirst("setting-".count)
        return name.hasPrefix("setting-") && (1...64).contains(key.utf8.count)
            && key.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || $0 == 0x2e || $0 == 0x5f
            }
            && key.first != "." && !key.contains("..")
    }
}

/// An object with exactly the given members.
private struct Members {
    let object: [String: JSONValue]

    init(_ value: JSONValue, _ what: String, _ names: Set<String>) throws(BackupError) {
        guard case .object(let object) = value, Set(object.keys) == names else {
            throw Self.malformed(what)
        }
        self.object = object
    }

    static func malformed(_ what: String) -> BackupError {
        BackupError(
            .format, "\(BackupManifest.fileName) is malformed: \(what) is not as it was written")
    }

    func value(_ name: String) throws(BackupError) -> JSONValue {
        guard let value = object[name] else { throw Self.malformed(name) }
        return value
    }

    func text(_ name: String) throws(BackupError) -> String {
        guard let text = try value(name).stringValue, text.utf8.count <= 128 else {
            throw Self.malformed(name)
        }
        return text
    }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws(BackupError) -> Int {
        guard let number = try value(name).numberValue, let whole = Int(exactly: number),
            range.contains(whole)
        else { throw Self.malformed(name) }
        return whole
    }

    func bytes(_ name: String, _ count: Int) throws(BackupError) -> [UInt8] {
        guard let bytes = Base64URL.decode(try text(name)), bytes.count == count else {
            throw Self.malformed(name)
        }
        return bytes
    }
}
