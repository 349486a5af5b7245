import ArgumentParser
import Foundation
import MienCore
import MienDevice
import MienDeviceLinux
import MienFace
import MienModels
import MienTools
import MienVault

/// `mien face list`
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the people enrolled on this machine.",
        discussion: """
            EXAMPLE
              mien face list --json
            """)

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let home = MienHome.current
        let listing = try home.openStore().list()
        let service = try DeviceFaces.service()
        var unlocking: Set<PersonName> = []
        for face in listing.faces where try await service.isConfirmed(face.template, of: face.name)
        {
            unlocking.insert(face.name)
        }
        for record in listing.damaged { Terminal.warn("mien: cannot be read: \(record)") }
        guard !output.json else {
            JSON.print(
                Output(
                    faces: listing.faces.map {
                        .init(
                            name: $0.name.text, photos: $0.template.entries.count,
                            pack: $0.template.packID.text,
                            enrolled: Self.time($0.template.createdAt),
                            unlocks: unlocking.contains($0.name))
                    },
                    damaged: listing.damaged.map { .init(file: $0.path, reason: "\($0.reason)") }))
            return
        }
        if listing.faces.isEmpty {
            print("Nobody is enrolled. Enroll somebody: mien face enroll NAME PHOTO…, or --camera")
        }
        let rows = listing.faces.map {
            [
                $0.name.text, "\($0.template.entries.count)", Self.time($0.template.createdAt),
                $0.template.packID.text, unlocking.contains($0.name) ? "yes" : "no",
            ]
        }
        if !rows.isEmpty {
            print(
                Terminal.table(
                    rows, heading: ["name", "photos", "enrolled", "model pack", "unlocks"],
                    rightAligned: [1]))
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
            /// Whether the face can unlock tokens and keys.
            let unlocks: Bool
        }
        struct Damaged: Encodable {
            let file: String
            let reason: String
        }
        let faces: [Face]
        let damaged: [Damaged]
    }
}
