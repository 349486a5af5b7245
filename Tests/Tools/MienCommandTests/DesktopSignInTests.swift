import Foundation
import MienCore
import MienModels
import MienTesting
import Testing

/// `pam_mien` under pamtester, with the service in front of animated photos.
///
/// The service asks nobody for a face without networks against prints and screens, which
/// `mien-basic-1` lacks, so tests of what follows the question need `mien-default-2`.
@Suite(.serialized, .enabled(if: Desktop.isReady, Desktop.needs), .needsFaces)
struct DesktopSignInTests {
    private static let better = "mien-default-2"
    private static let hasNetwork = judgesPresentations(better)
    private static let needsNetwork: Comment =
        "mien-default-2 with networks against prints and screens is not installed"

    /// Whether a pack has networks against prints and screens.
    private static func judgesPresentations(_ pack: String) -> Bool {
        let packs = PackLibrary(folder: TemporaryHome.Machine.folder.appending(path: "packs"))
        return (try? packs.pack(PackID(pack)))?.manifest.file(of: .presentationAttack) != nil
    }

    @Test(arguments: TemporaryHome.packs)
    func
        `the enrolled person signs in after a key, announced before the camera; without networks against prints and screens, nobody is asked`(
            pack: String
        ) async throws
    {
        let desktop = try await Desktop(pack: pack, enrolling: "obama")
        try await desktop.serve("obama") {
            let result = try await desktop.signIn(typing: "\n")
            guard Self.judgesPresentations(pack) else {
                #expect(!result.isSuccess && !result.text.contains("Enter"), "\(result)")
                #expect(try desktop.log == "Ready\nready: unavailable no-networks\n")
                return
            }
            #expect(result.isSuccess, "\(result)")
            #expect(result.text.contains("press Enter to use your face"), "\(result)")
            // The instructions of the challenge.
            #expect(result.text.contains("keep_still"), "\(result)")
            #expect(try desktop.log == "Ready\nready: ready\ncheck: accepted\n")
        }
    }

    @Test(.enabled(if: hasNetwork, needsNetwork))
    func `another person is refused, five times at most, and a sign-in with the password unlocks`()
        async throws
    {
        let desktop = try await Desktop(pack: Self.better, enrolling: "obama")
        try await desktop.serve("biden") {
            for _ in 0..<5 {
                let result = try await desktop.signIn(typing: "\n")
                #expect(!result.isSuccess && result.text.contains("not accepted"), "\(result)")
            }
            let sixth = try await desktop.signIn(typing: "\n")
            #expect(!sixth.isSuccess && sixth.text.contains("locked"), "\(sixth)")
            #expect(!sixth.text.contains("Enter"), "no camera is offered")
            #expect(
                try desktop.log.components(separatedBy: "check: refused no-match").count == 6)
            #expect(try !desktop.log.contains("accepted"))

            // The next module accepts a password, and the application establishes credentials.
            let otherwise = try await desktop.signIn(
                typing: "", service: "or-password", operations: ["authenticate", "setcred"])
            #expect(otherwise.isSuccess, "\(otherwise)")
            #expect(try desktop.log.contains("authenticated: done"))
            let again = try await desktop.signIn(typing: "")
            #expect(again.text.contains("press Enter"), "\(again)")
        }
    }

    @Test(arguments: TemporaryHome.packs)
    func `a typed password is passed on, and no camera opens`(pack: String) async throws {
        let desktop = try await Desktop(pack: pack, enrolling: "obama")
        try await desktop.serve("obama") {
            let alone = try await desktop.signIn(typing: "secretword\n")
            #expect(!alone.isSuccess, "\(alone)")
            let right = try await desktop.signIn(typing: "secretword\n", service: "or-secretword")
            #expect(right.isSuccess, "\(right)")
            let wrong = try await desktop.signIn(typing: "another\n", service: "or-secretword")
            #expect(!wrong.isSuccess, "\(wrong)")
            #expect(try !desktop.log.contains("check"))
            #expect(!(alone.text + right.text + wrong.text).contains("word\n"))
        }
    }

    @Test(.enabled(if: hasNetwork, needsNetwork))
    func `without a confirmation, no camera opens`() async throws {
        let desktop = try await Desktop(pack: Self.better, enrolling: "obama")
        try await desktop.serve("obama") {
            // The end of the input, as after Ctrl-D.
            let result = try await desktop.signIn(typing: "")
            #expect(!result.isSuccess && result.text.contains("press Enter"), "\(result)")
            #expect(try !desktop.log.contains("check"))
        }
    }

    private static let remotePlaces = [
        Desktop.Place(rhost: "192.0.2.7"), Desktop.Place(environment: ["SSH_CONNECTION": "x"]),
        Desktop.Place(environment: ["SSH_TTY": "/dev/pts/1"]), Desktop.Place(tty: "ssh"),
        Desktop.Place(tty: "/dev/ttyS0"), Desktop.Place(tty: "elsewhere:0"),
        Desktop.Place(session: "remote"), Desktop.Place(session: "seatless"),
        Desktop.Place(session: "background"), Desktop.Place(session: nil),
        Desktop.Place(tty: "/dev/pts/3", session: nil),
    ]

    @Test(.enabled(if: hasNetwork, needsNetwork))
    func `a remote person is never asked for a face`() async throws {
        let desktop = try await Desktop(pack: Self.better, enrolling: "obama")
        try await desktop.serve("obama") {
            // One service for all, which must never hear of any of them.
            for place in Self.remotePlaces {
                let result = try await desktop.signIn(typing: "\n", at: place)
                #expect(
                    !result.isSuccess && !result.text.contains("Enter"), "\(place): \(result)")
                let password = try await desktop.signIn(
                    typing: "\n", service: "or-password", at: place)
                #expect(password.isSuccess, "\(place): the next module decides: \(password)")
                #expect(try desktop.log == "Ready\n", "\(place)")
            }
        }
    }

    private static let localPlaces = [
        Desktop.Place(tty: "/dev/tty2", session: nil), Desktop.Place(tty: ":0", session: nil),
        Desktop.Place(tty: "/dev/pts/3"), Desktop.Place(tty: ":1"),
    ]

    @Test(.enabled(if: hasNetwork, needsNetwork))
    func `a person on a console, display, or terminal of a local session is asked`() async throws {
        let desktop = try await Desktop(pack: Self.better, enrolling: "obama")
        try await desktop.serve("obama") {
            for place in Self.localPlaces {
                let result = try await desktop.signIn(typing: "", at: place)
                #expect(result.text.contains("press Enter"), "\(place): \(result)")
            }
        }
    }

    @Test func `without the service, the next module decides`() async throws {
        let desktop = try await Desktop(pack: "mien-basic-1", enrolling: nil)
        let alone = try await desktop.signIn(typing: "\n")
        #expect(!alone.isSuccess && !alone.text.contains("Enter"), "\(alone)")
        let password = try await desktop.signIn(typing: "\n", service: "or-password")
        #expect(password.isSuccess, "\(password)")
    }

    @Test(.enabled(if: hasNetwork, needsNetwork))
    func `somebody who is not enrolled is not asked`() async throws {
        let desktop = try await Desktop(pack: Self.better, enrolling: nil)
        try await desktop.serve("obama") {
            let result = try await desktop.signIn(typing: "\n")
            #expect(!result.isSuccess && !result.text.contains("Enter"), "\(result)")
            #expect(try desktop.log == "Ready\nready: unavailable not-enrolled\n")
        }
    }

    @Test(.enabled(if: hasNetwork, needsNetwork))
    func `a camera that shows nothing is given up after the module's time`() async throws {
        let desktop = try await Desktop(pack: Self.better, enrolling: "obama", seconds: 1)
        try await desktop.serve("silent") {
            let result = try await desktop.signIn(typing: "\n")
            #expect(!result.isSuccess && result.text.contains("in time"), "\(result)")
            // The service closes the camera when the module has gone.
            try await desktop.waitFor("check: unavailable timed-out")
        }
    }

    @Test(arguments: ["timeout=0", "timeout=soon", "timeout=121", "certainty=3"])
    func `a wrong option never lets anybody in`(option: String) async throws {
        let desktop = try await Desktop(pack: "mien-basic-1", enrolling: nil, options: option)
        let result = try await desktop.signIn(typing: "\n")
        #expect(!result.isSuccess && !result.text.contains("Enter"), "\(result)")
    }
}
