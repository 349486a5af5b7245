import ArgumentParser
import Foundation
import MienCommandSupport
import MienCore
import MienFace
import MienModels
import MienVault

/// `mien face list`
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people enrolled on this machine.",
        discussion: """
            EXAMPLE
              mien face list --json
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let home = MienHome.current
        let listing = try home.openStore().list()
        for record in listing.damaged { Terminal.warn("mien: cannot be read: \(record)") }
        guard !output.json else {
            JSON.print(
                Output(
                    faces: listing.faces.map {
                        .init(
                            name: $0.name.text, photos: $0.template.entries.count,
                            pack: $0.template.packID.text,
                            enrolled: Self.time($0.template.createdAt))
                    },
                    damaged: listing.damaged.map { .init(file: $0.path, reason: "\($0.reason)") }))
            return
        }
        if listing.faces.isEmpty {
            print("Nobody is enrolled. Enroll somebody: mien face enroll NAME PHOTO…")
        }
        let rows = listing.faces.map {
            [
                $0.name.text, "\($0.template.entries.count)", Self.time($0.template.createdAt),
                $0.template.packID.text,
            ]
        }
        if !rows.isEmpty {
            print(
                Terminal.table(
                    rows, heading: ["name", "photos", "enrolled", "model pack"], rightAligned: [1]))
        }
    }

    private static func time(_ instant: Instant) -> String {
        ISO8601DateFormatter().string(
            from: Date(timeIntervalSince1970: Double(instant.milliseconds / 1000)))
    }

    private struct Output: Encodable {
        struct Face: Encodable {
            let name: String
            let photos: Int
            let pack: String
            let enrolled: String
        }
        struct Damaged: Encodable {
            let file: String
            let reason: String
        }
        let faces: [Face]
        let damaged: [Damaged]
    }
}
