import ArgumentParser
import Foundation
import MienCore
import MienIdentity
import MienKeys
import MienTools

/// `mien evidence …`
struct EvidenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence", abstract: "Verify the signed evidence of identity verifications.",
        discussion: """
            EXAMPLE
              mien evidence verify idv_0c9JkYH2dTq4m8wXzR1aBg.jws --keys evidence-keys.json
            """,
        subcommands: [Verify.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Verify a file of evidence offline.",
            discussion: """
                Save the server's key once, on a way that you trust. It stays the same for as long as \
                the server's master key.

                EXAMPLE
                  mien admin verification keys > evidence-keys.json
                  mien evidence verify idv_0c9JkYH2dTq4m8wXzR1aBg.jws --keys evidence-keys.json

                EXIT CODES
                  0 genuine    1 not genuine    2 bad input
                """)

        @Argument(help: "The file of evidence.", completion: .file()) var file: String
        @Option(
            help: ArgumentHelp(
                "The server's keys, as mien admin verification keys prints them.",
                valueName: "file"))
        var keys: String
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let keys = try Self.keySet(try Self.read(keys), keys)
            let text = String(decoding: try Self.read(file), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let record = Self.verified(text, by: keys)
            if output.json {
                var members: [String: JSONValue] = ["genuine": .bool(record != nil)]
                if let record { members["evidence"] = record.json }
                print(JSONText.write(.object(members)))
            } else if let record {
                AdminOutput.sheet([
                    ("genuine", "yes"), ("attempt", record.attempt.text),
                    ("kind", record.kind?.rawValue ?? "session"),
                    ("user", record.user?.text ?? "none"),
                    ("app", record.app.text),
                    ("begun", AdminOutput.time(record.begunAt.milliseconds)),
                    ("concluded", AdminOutput.time(record.concludedAt.milliseconds)),
                    ("verified", record.isVerified ? "yes" : "no"),
                    ("recommendation", record.recommendation.rawValue),
                    (
                        "checks",
                        record.checks.results.sorted { $0.key < $1.key }.map {
                            "\($0.key.rawValue)=\($0.value.rawValue)"
                        }.joined(separator: ", ")
                    ),
                    ("sources", record.sources.map(\.printable).joined(separator: ", ")),
                    ("simulated", record.isSimulated ? "yes" : nil),
                    ("rules", record.rulesVersion.printable),
                    ("model pack", record.pack?.printable),
                    (
                        "reviews",
                        record.reviews.isEmpty
                            ? nil
                            : record.reviews.map { "\($0.decision.rawValue) by \($0.reviewer)" }
                                .joined(separator: ", ")
                    ),
                    (
                        "pictures",
                        record.images.isEmpty
                            ? nil
                            : record.images.map { "\($0.role) \(Base64URL.encode($0.sha256))" }
                                .joined(separator: ", ")
                    ),
                ])
            } else {
                print("Not genuine: changed, signed by another server, or not evidence.")
            }
            if record == nil { throw Outcome.noMatch }
        }

        /// - Returns: `nil` unless one of the keys signed the evidence.
        static func verified(_ text: String, by keys: [DevicePublicKey]) -> EvidenceRecord? {
            guard
                let message = try? JWS.parse(
                    compact: text, limits: .init(maxBytes: 64 * 1024)),
                message.type == EvidenceRecord.mediaType,
                let key = keys.first(where: { $0.thumbprint == message.keyID }),
                let payload = (try? message.verify(with: key))?.payload,
                let value = try? JSONText.parse(payload)
            else { return nil }
            return try? EvidenceRecord(value)
        }

        private static func keySet(_ bytes: [UInt8], _ path: String) throws -> [DevicePublicKey] {
            let keys = (try? JSONText.parse(bytes))?["keys"]?.arrayValue ?? []
            let found = keys.compactMap { try? DevicePublicKey(jwk: $0) }
            guard !found.isEmpty else {
                throw Failure(
                    .badInput, "evidence.keys", "\(path.printable): contains no key of a JWK set")
            }
            return found
        }

        private static func read(_ path: String) throws -> [UInt8] {
            // `read` returns nil at the end of the file.
            guard let handle = FileHandle(forReadingAtPath: path),
                let data = try? handle.read(upToCount: 1 << 20) ?? Data()
            else {
                throw Failure(.badInput, "evidence.file", "\(path.printable): cannot be read")
            }
            return [UInt8](data)
        }
    }
}
