// Runs a server inside your own program, and signs a client in to it as far as the password form.
//
//     swift run -c release EmbeddedServer /tmp/mien-embedded
//
// The argument is the folder for the server's data. The first start creates it, with a sample app
// and sample journeys, and prints:
//
//     first start: created the app default_application
//     password-login asks for loginForm
//
// Later starts print the second line only. The model pack is the one that scripts/setup installed.
// The exit status is 0 when the journey began, 1 if not, and 2 if the server cannot start.

import Foundation
import Logging
import MienClient
import MienCore
import MienModels
import MienServer

guard CommandLine.arguments.count == 2 else { fail("usage: EmbeddedServer FOLDER") }
let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
var logger = Logger(label: "example", factory: { StreamLogHandler.standardError(label: $0) })
logger.logLevel = .error

// Port 0 is any free one. The settings are those of `mien serve`: docs/command-line.md.
let settings = ["MIEN_DATA": folder.path, "MIEN_PORT": "0", "MIEN_ADMIN_LISTEN": "127.0.0.1:0"]
let home = MienHome(environment: ProcessInfo.processInfo.environment).folder
let (addresses, listening) = AsyncStream<String>.makeStream()
let server: Server
do {
    server = try await Server(
        ServerConfiguration(environment: settings, home: home), logger: logger
    ) { listening.yield($0) }
} catch {
    fail("\(error)")
}
if let first = server.firstStart {
    print("first start: created the app \(first.sampleApp.text)")
    // Keep first.adminCredential: it is shown once, and only its hash is stored.
}

// The server runs until its task is canceled. In a larger program, put it into a ServiceGroup.
let running = Task {
    defer { listening.finish() }
    try await server.run()
}
guard let address = await addresses.first(where: { _ in true }) else {
    do { try await running.value } catch { fail("\(error)") }
    fail("the server ended before it accepted connections")
}

var hasBegun = false
do {
    let client = try JourneyClient(
        MienOptions(
            serverPath: address, applicationId: "default_application", logLevel: .error))
    let journey = try await client.start("password-login")
    for try await step in journey.steps {
        print("password-login asks for \(step.id)")
        hasBegun = true
        try await step.respond(.cancel)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
}
running.cancel()
try? await running.value
exit(hasBegun ? 0 : 1)

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(2)
}
