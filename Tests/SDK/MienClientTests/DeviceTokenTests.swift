import Foundation
import MienAPI
import MienClient
import MienCore
import Testing

@Suite("Device tokens")
struct DeviceTokenTests {
    private let shop = DeviceTokenKey(server: "https://a.example", application: "shop")
    private let bank = DeviceTokenKey(server: "https://a.example", application: "bank")

    private func inFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "mien-client-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path)
    }

    @Test("each app has its own token, and the last one stored counts")
    func both() async throws {
        try await inFolder { folder in
            for storage in [MemoryDeviceTokens(), FileDeviceTokens(path: folder + "/devices")]
                as [any DeviceTokenStorage]
            {
                #expect(try await storage.token(for: shop) == nil)
                try await storage.store(Sensitive("one"), for: shop)
                try await storage.store(Sensitive("two"), for: bank)
                try await storage.store(Sensitive("three"), for: shop)
                #expect(try await storage.token(for: shop) == Sensitive("three"))
                #expect(try await storage.token(for: bank) == Sensitive("two"))
                try await storage.remove(shop)
                #expect(try await storage.token(for: shop) == nil)
                #expect(try await storage.token(for: bank) == Sensitive("two"))
            }
        }
    }

    @Test("the file is private to its owner and persists across processes")
    func file() async throws {
        try await inFolder { folder in
            let path = folder + "/devices"
            try await FileDeviceTokens(path: path).store(Sensitive("one"), for: shop)
            let mode = try #require(
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
                    as? NSNumber)
            #expect(mode.intValue == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["devices"])
            #expect(try await FileDeviceTokens(path: path).token(for: shop) == Sensitive("one"))
        }
    }

    @Test("a file that others can read, a link, and malformed content are refused")
    func refused() async throws {
        try await inFolder { folder in
            let path = folder + "/devices", link = folder + "/link"
            try await FileDeviceTokens(path: path).store(Sensitive("one"), for: shop)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            await #expect(throws: PrivateFileError.self) {
                try await FileDeviceTokens(path: link).token(for: shop)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            await #expect(throws: PrivateFileError.self) {
                try await FileDeviceTokens(path: path).token(for: shop)
            }
            try Data("{".utf8).write(to: URL(filePath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            await #expect(throws: PrivateFileError.self) {
                try await FileDeviceTokens(path: path).token(for: shop)
            }
            await #expect(throws: PrivateFileError.self) {
                try await FileDeviceTokens(path: folder + "/none/devices").store(
                    Sensitive("x"), for: shop)
            }
        }
    }

    @Test("a login succeeds even if the device token cannot be stored")
    func notKept() async throws {
        let transport = ScriptedTransport([.json(JourneyAnswer.success(deviceToken: "dev_1.s"))])
        let client = try JourneyClient(
            options(transport, devices: FileDeviceTokens(path: "/nowhere/at/all")))
        #expect(try await client.start("j").response.journeyStepId == .success)
    }
}
