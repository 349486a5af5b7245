internal import Crypto
internal import MienCore

/// The file of a ring that has been rotated. `docs/spec/key-ring.md` describes the format.
extension KeyRing {
    /// The most bytes of a file: more than any number of keys that a server ever has at once.
    package static let maxFileBytes = 16_384
    static let heading = "mien-key-ring 1"
    static let maxKeys = 64

    /// The file's bytes. Secret.
    package var fileBytes: [UInt8] {
        // The key of version 1 alone has never been rotated; codes come from it.
        if keys.count == 1, let only = keys.first, only.version == 1, lookup.isDerived {
            return only.exported
        }
        var text = Self.heading + "\n"
        let active = active.version
        for key in keys {
            text += key.version > active ? "next" : "key"
            text += " \(key.version) \(hexadecimal(key.exported))\n"
        }
        for (label, key) in lookup.stored.sorted(by: { $0.key < $1.key }) {
            text += "lookup \(label) \(hexadecimal(key))\n"
        }
        return Array(text.utf8) + Array("end \(Self.sum(of: Array(text.utf8)))\n".utf8)
    }

    /// Reads a file: 32 bytes of a single key, version 1, or the format of rotated rings.
    ///
    /// - Returns: `nil` for anything else, also if a byte was changed.
    package convenience init?(fileBytes: [UInt8]) {
        if fileBytes.count == MasterKey.size {
            self.init(MasterKey(bytes: fileBytes))
            return
        }
        guard fileBytes.count <= Self.maxFileBytes,
            let text = String(validUTF8: fileBytes), text.hasSuffix("\n")
        else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        guard lines.first == Self.heading[...], let last = lines.popLast(),
            last == "end \(Self.sum(of: fileBytes.dropLast(last.utf8.count + 1)))"
        else { return nil }
        var keys: [MasterKey] = [], lookup: [String: [UInt8]] = [:], active: Int?
        for line in lines.dropFirst() {
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            guard fields.count == 3, let secret = bytes(hexadecimal: fields[2]),
                secret.count == MasterKey.size
            else { return nil }
            switch fields[0] {
            case "key", "next":
                guard let version = UInt32(fields[1]), "\(version)" == fields[1],
                    version > keys.last?.version ?? 0, keys.count < Self.maxKeys
                else { return nil }
                // Keys that will seal come after the one that seals.
                if fields[0] == "key" {
                    guard active == keys.indices.last else { return nil }
                    active = keys.count
                }
                keys.append(MasterKey(bytes: secret, version: version))
            case "lookup":
                guard lookup.updateValue(secret, forKey: String(fields[1])) == nil else {
                    return nil
                }
            default: return nil
            }
        }
        guard let active, let lookup = LookupKeys(lookup) else { return nil }
        self.init(keys: keys, active: active, lookup: lookup)
    }

    private static func sum(of bytes: some Sequence<UInt8>) -> String {
        hexadecimal(SHA256.hash(data: Array(bytes)))
    }
}
